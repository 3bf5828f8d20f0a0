@available(*, deprecated, renamed: "TargetResolver")
public typealias TargetChoice = TargetResolver
