import WebConfig

/// What a run was given, and what was read: what checks are judged by at the end.
struct Circumstances {
    var extent: LogExtent
    var edges: RequestEdges
    var configs: [WebConfigFile]
    var refusedConfigs: [WebConfigError]
    var hasRefused: Bool { !refusedConfigs.isEmpty }
}
