import ArgumentParsing

/// What protects from removing the wrong thing.
struct RemovalGuards: OptionSetting {
    @Option(
        "--dry-run",
        "-n",
        "--what-if",
        value: "SIDE",
        withoutValue: .client,
        help: "Only say what would be removed; =server looks the documents up"
    )
    var dryRun: DryRunSide?

    @Option(
        "--max-remove",
        value: "N|N%",
        help: "Send nothing if there are more removals than this, or than this share of the collection"
    )
    var maximum: RemovalLimit?

    @Option(
        "--backup",
        value: "FILE",
        completion: .files,
        help: "Write each document to this new file before it is removed; 'fastctl add FILE' restores"
    )
    var backup: String?
}
