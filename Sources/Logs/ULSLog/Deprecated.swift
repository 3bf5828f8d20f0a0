/// The former name of ``EventPrefilter``.
@available(*, deprecated, renamed: "EventPrefilter")
public typealias EventChooser = EventPrefilter

/// The former name of ``PrefilterResult``.
@available(*, deprecated, renamed: "PrefilterResult")
public typealias EventChoice = PrefilterResult
