import ArgumentParsing
import CommandKit
import ContentFeeding
import FeedJobs
import FeedReports
import Files
import ReportKit
import TextKit

struct ExportCollection: Command {
    static let configuration = CommandConfiguration(
        "export",
        foreignNames: ["definition", "mapping", "mappings", "schema", "settings"],
        summary: "Print a collection's definition: settings, mappings and aliases.",
        discussion: """
            The definition is the engine's own JSON with sorted keys, for review and version control. Anything that \
            the engine assigns, such as the creation date, is left out, and so are documents: 'fastctl copy' copies \
            them. The mappings of Solr are its schema, and those of an embedded index are empty.

            An alias refers to its only collection. The content distributor has no definitions.
            """,
        examples: [.init("fastctl collections export web >web.json", "Write the definition to a file")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let target = try target.resolve()
        let engine = try await target.open().requireDefinitions()
        var bytes = try await engine.definition(of: target.collection(name).engineName).json
        try StandardOutput().drainOrStop(&bytes)
        return .success
    }
}

struct ImportCollection: Command {
    static let configuration = CommandConfiguration(
        "import",
        summary: "Create a collection from a definition that 'collections export' printed.",
        discussion: """
            The collection must not exist yet. It is created with its settings, mappings and aliases in one request: \
            if the engine does not accept a part of the definition, nothing is created. In Solr, the collection is \
            created first, with its own copy of the usual config set, and its schema is changed afterwards; an \
            existing collection without documents gets the definition too, and without SolrCloud only that is possible.

            A definition can be used for any other engine. Values that could not be carried over are listed in a \
            table, with the reasons, and as notCarried in JSON; with --strict, nothing is created if there are any. \
            Blocks on writing and reading are never carried over, and an ingest pipeline only if it exists in the target.

            An alias that points at another collection is taken from it only on request: the import is refused, unless \
            --move-alias names the alias, or --without-aliases leaves all aliases out. An alias that moves to a new \
            collection finds no documents until the collection is filled; to swap it later, use 'fastctl collections \
            alias swap'.
            """,
        examples: [
            .init("fastctl collections import web.json", "Create the collection that the file names"),
            .init("fastctl collections import web.json web-2 --without-aliases", "Create another one like it"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var protection: ProtectionOptions

    @Flag("--without-aliases", help: "Create the collection without the aliases in the definition")
    var omitsAliases

    @Option(
        "--move-alias",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Take this alias from the collections that it points at; may be repeated"
    )
    var moved: [String]

    @Flag("--strict", help: "Create nothing if a value of the definition can't be carried over to this engine")
    var isStrict

    @Option(output: OutputForm.answer, help: "The output format: text, or one JSON object")
    var form
    @Argument("FILE", completion: .files, help: "The file with the definition") var path: String
    @Argument("NAME", completion: ArgumentCompletion.none, help: "The collection's name (default: the one in the file)")
    var name: String?

    static let exclusive = [["--without-aliases", "--move-alias"]]

    func run() async throws -> ExitCode {
        let target = try target.resolve()
        var definition = try DefinitionFile(path).definition()
        if omitsAliases { definition = definition.removingAliases { _ in true } }
        let moving = Set(moved.map { CollectionName($0) })
        if let unknown = moving.subtracting(definition.aliasNames).min() {
            throw Failure(
                .usage,
                "--move-alias: the definition in \(path) has no alias '\(unknown)'",
                advice: "its aliases: \(definition.aliasNames.isEmpty ? "none" : definition.aliasNames.listed)"
            )
        }
        try target.requireConfirmation(protection.names, to: "create a collection")
        let collection = name.map { target.collection($0).engineName } ?? definition.name
        let engine = try await target.create().requireDefinitions()
        let (adapted, losses) = try await engine.adapted(definition)
        try losses.report(for: engine, isStrict: isStrict)
        let result = try await Interruption.stopping("the collection may have been created") {
            try await engine.create(collection, from: adapted, moving: AliasMoves(moving))
        }
        let action: CollectionChange.Action = result.isNew ? .created : .defined
        try CollectionChange(action, collection, at: "\(engine.target)", documents: 0, losses: losses).print(as: form)
        let isTranslated = definition.isTranslated(for: engine.definedEngine)
        await reportChanges(of: adapted, isTranslated: isTranslated, in: collection, engine)
        let aliases = adapted.aliasNames.isEmpty ? "" : ", with the aliases \(adapted.aliasNames.listed)"
        let verb = result.isNew ? "created" : "existed without documents, and was defined"
        StandardError.say("\(collection) \(verb) in \(engine.target)\(aliases)")
        for alias in result.moved {
            let before = alias.collections.filter { $0 != collection }
            if !before.isEmpty { StandardError.say("the alias '\(alias.name)' no longer points at \(before.listed)") }
        }
        return .success
    }

    /// Reports the differences between the collection and the definition, which index templates may cause, for example.
    private func reportChanges(
        of definition: CollectionDefinition,
        isTranslated: Bool,
        in collection: CollectionName,
        _ engine: any DefinitionAdministration
    ) async {
        let changes: [DefinitionDifference]
        do {
            let found = try await engine.definition(of: collection)
            // A translated definition leaves most things to the engine.
            changes = isTranslated ? definition.conflicts(with: found) : definition.differences(to: found)
        } catch {
            StandardError.say("the collection was created, but could not be compared: \(Failure(error).message)")
            return
        }
        guard !changes.isEmpty else { return }
        let some = changes.prefix(10).map { "\($0.part.rawValue) \($0.place)" }.joined(separator: ", ")
        StandardError.say(
            "the engine changed or added \(Quantity(changes.count, "value", "values")): \(some)"
                + (changes.count > 10 ? ", …" : "")
        )
    }
}

struct CompareCollections: Command {
    static let configuration = CommandConfiguration(
        "diff",
        foreignNames: ["compare"],
        summary: "Show how the definitions of two collections differ.",
        discussion: """
            A and B are collections, on the target (COLLECTION), in a context (CONTEXT/COLLECTION) or at an address \
            (opensearch+https://HOST/COLLECTION), or files that 'collections export' printed, whose names end in \
            .json. Settings, mappings and aliases are compared, and the number of documents if both are collections; \
            if B is for another kind of engine, A is translated to it first. \
            'fastctl reconcile' compares the documents themselves. If anything differs, the exit code is 1.
            """,
        examples: [
            .init("fastctl collections diff web.json web", "Has the collection changed since it was exported?"),
            .init("fastctl collections diff web prod/web --only settings,mappings", "Compare two targets"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions

    @Option("--only", value: "PART,…", help: "Only these parts: settings, mappings, aliases, documents")
    var only: DefinitionParts?

    @OptionGroup("Output") var output = ReportOutputOptions(ListRenderer.forms.filter { $0 != .name })
    @Argument("A", completion: .collections, help: "A collection, or a file that ends in .json")
    var first: DefinitionPlace
    @Argument("B", completion: .collections, help: "Another one") var second: DefinitionPlace

    func run() async throws -> ExitCode {
        let outputs = output.outputs()
        try outputs.check(inputs: [])
        let needsCounts = only?.includesDocuments ?? true
        let a = try await first.open(at: target, counting: needsCounts)
        let b = try await second.open(at: target, counting: needsCounts)
        var entries = a.definition.differences(to: b.definition).filter { only?.parts.contains($0.part) ?? true }
            .map { DefinitionDifferenceEntry($0) }
        if let old = a.documents, let new = b.documents, old != new {
            entries.append(DefinitionDifferenceEntry(documents: old, new))
        }
        try outputs.write { output, bytes in
            ListRenderer.append(
                entries,
                as: output.form,
                csv: output.csv,
                width: ProcessEnvironment.tableWidth,
                to: &bytes
            )
        }
        let counts = [a.count(of: first.argumentText), b.count(of: second.argumentText)].compactMap(\.self).joined(
            separator: ", "
        )
        let result =
            entries.isEmpty ? "no differences" : Quantity(entries.count, "difference", "differences").description
        let places = "\(first.argumentText) and \(second.argumentText)"
        let kind = b.definition.engine
        if a.definition.isTranslated(for: kind) {
            output.quiet.say(["\(first.argumentText) was translated to \(kind.rawValue) for the comparison"])
        }
        output.quiet.say(["\(places): \(result)\(counts.isEmpty ? "" : "; \(counts)")"])
        return ExitCode(entries.isEmpty ? .done : .documentsFailed)
    }
}

// MARK: - Files and places

/// A file that contains a definition.
private struct DefinitionFile {
    private let path: String

    init(_ path: String) { self.path = path }

    func definition() throws -> CollectionDefinition {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(path, maximum: CollectionDefinition.maximumByteCount)
        } catch {
            throw Failure(
                .inputNotOpened,
                "cannot read the definition '\(path)': \(error.reason); nothing was sent",
                advice: "write one with: fastctl collections export NAME >FILE"
            )
        }
        do throws(CollectionDefinitionError) {
            return try CollectionDefinition(json: bytes)
        } catch {
            throw Failure(
                .inputRejected,
                "\(path) is not a collection's definition: \(error); nothing was sent",
                advice: "write one with: fastctl collections export NAME >FILE"
            )
        }
    }
}

/// A definition to compare: a collection's, or a file's, which ends in `.json`.
struct DefinitionPlace: ArgumentValue {
    private let source: SourceArgument?
    let argumentText: String

    init(argument word: String) throws(ArgumentExpectation) {
        source = word.hasSuffix(".json") ? nil : try SourceArgument(argument: word)
        argumentText = word
    }

    /// Reads the definition; `counting` determines whether the documents of a collection are counted.
    fileprivate func open(at target: TargetOptions, counting: Bool) async throws -> OpenedDefinition {
        guard let source else {
            return OpenedDefinition(definition: try DefinitionFile(argumentText).definition(), documents: nil)
        }
        let place = try target.source(source, besides: source.collection)
        let engine = try await place.open().requireDefinitions()
        let definition = try await place.definition(of: place.collection(source.collection), in: engine)
        guard counting else { return OpenedDefinition(definition: definition, documents: nil) }
        let name = place.collection(source.collection).engineName
        let description = try await engine.show(name)
        if let flaw = description.flaw { throw Failure(.targetUnusable, flaw, advice: nil) }
        // The description counts only documents that searches see, so it may lack those of a copy that has just ended.
        let collection = try await engine.collection(named: name)
        let documents = try await collection.count()
        if let reservation = await collection.countReservation() {
            StandardError.say("'\(argumentText)' was counted \(reservation)")
        }
        return OpenedDefinition(definition: definition, documents: documents)
    }
}

extension OpenableTarget {
    /// Returns the definition of a collection; if it is missing, the error names this target, which may not be the
    /// command's.
    fileprivate func definition(
        of choice: CollectionChoice,
        in engine: any DefinitionAdministration
    ) async throws(EngineError) -> CollectionDefinition {
        do throws(EngineError) { return try await engine.definition(of: choice.engineName) } catch {
            throw explained(error, choice)
        }
    }
}

/// A definition, and the number of documents in its collection, if they were counted.
private struct OpenedDefinition {
    let definition: CollectionDefinition
    let documents: Int?

    func count(of name: String) -> String? {
        documents.map { "\(name) has \(Quantity($0, "document", "documents"))" }
    }
}

/// Parts of a comparison, separated by commas.
struct DefinitionParts: ArgumentValue {
    let parts: [CollectionDefinition.Part]
    let includesDocuments: Bool

    private static let documents = "documents"
    private static let all = CollectionDefinition.Part.allCases.map(\.rawValue) + [documents]

    init(argument word: String) throws(ArgumentExpectation) {
        let names = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy(Self.all.contains) else {
            throw ArgumentExpectation("one or more of \(Self.all.joined(separator: ", ")), separated by commas")
        }
        parts = CollectionDefinition.Part.allCases.filter { names.contains($0.rawValue) }
        includesDocuments = names.contains(Self.documents)
    }

    var argumentText: String {
        (parts.map(\.rawValue) + (includesDocuments ? [Self.documents] : [])).joined(separator: ",")
    }
}

// MARK: - Copies

/// The parts of a definition that a copy takes from its source, separated by commas.
struct CopiedParts: ArgumentValue {
    private typealias Part = CollectionDefinition.Part

    let parts: [CollectionDefinition.Part]

    init(argument word: String) throws(ArgumentExpectation) {
        let found = try? DefinitionParts(argument: word)
        guard let found, !found.includesDocuments else {
            throw ArgumentExpectation(
                "one or more of \(Part.allCases.map(\.rawValue).joined(separator: ", ")), separated by commas; documents "
                    + "are always copied"
            )
        }
        parts = found.parts
    }

    var argumentText: String { parts.map(\.rawValue).joined(separator: ",") }

    /// Creates the target of a copy from the definition of its source.
    ///
    /// A target that already has everything that the definition specifies, for example when an interrupted copy is run
    /// again, is left unchanged; a target with other values is refused, unless it is a collection in Solr without
    /// documents.
    func create(
        _ name: CollectionName,
        at target: OpenableTarget,
        from source: CollectionName,
        at origin: OpenableTarget,
        isStrict: Bool
    ) async throws {
        let engine = try await target.open().requireDefinitions()
        let choice = CollectionChoice(name: source.rawValue, engineName: source)
        let original = try await origin.definition(of: choice, in: origin.open().requireDefinitions()).keeping(parts)
        let (definition, losses) = try await engine.adapted(original)
        let existing: CollectionDefinition?
        do throws(EngineError) {
            existing = try await engine.definition(of: name)
        } catch {
            guard error.code == .missingCollection else { throw error }
            existing = nil
        }
        try losses.report(for: engine, isStrict: isStrict)
        if let existing {
            let conflicts = definition.conflicts(with: existing)
            guard let first = conflicts.first else {
                reportAdditions(of: existing, to: definition, name)
                return
            }
            // Only Solr's schema and aliases can change later; the engine checks that there are no documents.
            guard engine.definedEngine == .solr, !conflicts.contains(where: { $0.part == .settings }) else {
                throw Failure(
                    .configuration,
                    "'\(name)' exists at \(engine.target), and differs from the definition of '\(source)' in "
                        + "\(Quantity(conflicts.count, "value", "values")), such as \(first.part.rawValue) \(first.place); "
                        + "nothing was sent",
                    advice: "copy into another collection, or omit --with to add the documents to this one"
                )
            }
        }
        let result = try await Interruption.stopping("the collection may have been created") {
            try await engine.create(name, from: definition, moving: .ofCopy)
        }
        let verb = result.isNew ? "created" : "existed without documents, and was defined"
        let carried = definition.filledParts.map(\.rawValue).joined(separator: ",")
        let values = Quantity(losses.count, "value", "values")
        let contents =
            if carried.isEmpty {
                "without any value of the definition of \(source)"
            } else {
                "with \(carried) of \(source)" + (losses.isEmpty ? "" : ", except for the \(values) listed above")
            }
        StandardError.say("\(name) \(verb) in \(engine.target), \(contents)")
    }

    /// Reports the values that only an existing collection has, which index templates may cause, for example.
    private func reportAdditions(
        of existing: CollectionDefinition,
        to definition: CollectionDefinition,
        _ name: CollectionName
    ) {
        let additions = definition.differences(to: existing).filter { $0.first == nil && parts.contains($0.part) }
        guard let first = additions.first else { return }
        StandardError.say(
            "'\(name)' exists with this definition and \(Quantity(additions.count, "other value", "other values")), such as "
                + "\(first.part.rawValue) \(first.place)"
        )
    }
}

extension [DefinitionLoss] {
    /// Reports the values that can't be carried over to an engine in a table; if there are any, `isStrict` refuses them.
    fileprivate func report(for engine: any DefinitionAdministration, isStrict: Bool) throws {
        guard !isEmpty else { return }
        let values = Quantity(count, "value", "values")
        let kind = engine.definedEngine.rawValue
        StandardError.say("\(values) of the definition can't be carried over to \(kind):")
        for line in DefinitionLossTable.lines(self) { StandardError.say("  " + line) }
        guard isStrict else { return }
        throw Failure(
            .configuration,
            "\(values) can't be carried over to \(engine.target), and --strict requires all; nothing was created",
            advice: "omit --strict, or remove these values from the definition"
        )
    }
}

extension CollectionAdministration {
    /// Returns the engine's interface for definitions, or throws the reason it has none.
    fileprivate func requireDefinitions() throws(EngineError) -> any DefinitionAdministration {
        if let defining { return defining }
        throw EngineError(
            .unsupported,
            "the collections at \(target) can't be defined in a file: only those of OpenSearch, Elasticsearch, Solr and "
                + "an embedded index can",
            advice: "use 'fastctl collections show NAME' and 'fastctl collections create NAME --setting NAME=VALUE'"
        )
    }
}

extension [CollectionName] {
    fileprivate var listed: String { map { "'\($0)'" }.joined(separator: ", ") }
}
