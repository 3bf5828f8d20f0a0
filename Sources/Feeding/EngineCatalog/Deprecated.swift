/// The former name of ``TargetResolver``.
@available(*, deprecated, renamed: "TargetResolver")
public typealias TargetChoice = TargetResolver
