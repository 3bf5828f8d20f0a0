@available(*, deprecated, renamed: "EventPrefilter")
public typealias EventChooser = EventPrefilter

@available(*, deprecated, renamed: "PrefilterResult")
public typealias EventChoice = PrefilterResult
