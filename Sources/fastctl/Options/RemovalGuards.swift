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

    @Option(
        "--verify",
        value: "sample:N",
        withoutValue: .all,
        help: "At the end, read all IDs again, or N of them by chance, and count as an error what is still there"
    )
    var verification: VerificationScope?

    @OptionGroup("Guards") var protection: ProtectionOptions
}

/// What guards adding and updating.
struct FeedGuards: OptionSetting {
    @Option(
        "--verify",
        value: "sample:N",
        withoutValue: .all,
        help: "At the end, read all IDs again, or N of them by chance, and count as an error what is not there"
    )
    var verification: VerificationScope?

    @OptionGroup("Guards") var protection: ProtectionOptions
}
