import ArgumentParsing
import EngineCatalog

/// Options for aliases, which only OpenSearch and Elasticsearch filter.
struct AliasOptions: OptionSetting {
    @Flag(
        "--ignore-alias-filter",
        help: "Reach documents by ID through an alias with a filter, whether or not they match it"
    )
    var ignoresFilter

    func apply(to target: inout OpenableTarget) { target.options.ignoresAliasFilter = ignoresFilter }
}

/// Options for ingest pipelines, which OpenSearch and Elasticsearch have.
struct PipelineOptions: OptionSetting {
    @Option(
        "--pipeline",
        value: "NAME|_none",
        completion: .values(["_none"]),
        help: "The ingest pipeline of OpenSearch or Elasticsearch, in place of the index's own; _none for none"
    )
    private var name: String?

    /// More bytes than any pipeline's name has.
    private static let longestName = 512

    func validate() throws {
        guard let name else { return }
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !name.isEmpty, name.utf8.count <= Self.longestName, isPlain else {
            throw ValidationError("--pipeline is not the name of a pipeline")
        }
    }

    func apply(to target: inout OpenableTarget) throws {
        guard let name else { return }
        switch target.resolved.address.location {
        case .openSearch, .elasticsearch: target.options.pipeline = name
        case .sqlite, .solr:
            throw ArgumentError(
                "--pipeline is for OpenSearch and Elasticsearch, and the target is neither",
                advice: "Leave it out"
            )
        }
    }
}

/// Options for the key that holds a document's ID, which OpenSearch and Elasticsearch don't need.
struct IDKeyOptions: OptionSetting {
    @Flag(
        "--id-in-source",
        help: "Store the ID's key in each document, even if the mapping refuses it or the document lacks it"
    )
    var isInSource

    /// Applies the options; `field` is the key of the ID in the input.
    func apply(field: String?, to target: inout OpenableTarget) {
        target.options.idKey = field ?? target.options.idKey
        target.options.keepsIDInSource = isInSource
    }
}
