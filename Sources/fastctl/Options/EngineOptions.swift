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
