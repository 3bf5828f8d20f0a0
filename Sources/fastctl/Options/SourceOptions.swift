import ArgumentParsing
import CollectionSync
import ContentFeeding
import EngineCatalog
import Sources

/// Options for the credentials of a source.
struct SourceAccess: OptionSetting {
    @Option(
        "--source-credentials-file",
        value: "FILE",
        completion: .files,
        help:
            "A file with the credentials of the source, that only you can read; those of a collection come from its context"
    )
    var credentialsFile: String?

    func validate() throws {
        if credentialsFile == "" { throw ValidationError("--source-credentials-file needs the name of a file") }
    }
}

/// Options for where documents are kept that a command reads.
struct SourceOptions: OptionSetting {
    @Option(
        "--source",
        value: "ADDRESS",
        help:
            "Where the documents are kept: dir:PATH, jsonl:PATH, csv:PATH, sqlite-query:PATH?query=SELECT…, sitemap+https://…, azure-table+https://…, azure-blob+https://… or [CONTEXT/]COLLECTION"
    )
    var source: SourceText?

    @OptionGroup("Source") var access: SourceAccess

    func validate() throws {
        if source == nil, access.credentialsFile != nil {
            throw ValidationError("--source-credentials-file needs --source")
        }
        _ = try source?.address(of: "--source")
    }

    /// Whether a source was given.
    var isGiven: Bool { source != nil }

    /// Returns the source that was given; `nil` if none was.
    ///
    /// `collection` is that of the command, whose target a source without one of its own is in.
    func source(at target: TargetOptions, besides collection: String?) throws -> OpenableSource? {
        guard let address = try source?.address(of: "--source") else { return nil }
        return try OpenableSource(address, access, at: target, besides: collection)
    }
}

/// A source's address as it was typed; it may hold what does not belong there, so that no message repeats it.
struct SourceText: ArgumentValue {
    private let text: String

    init(argument word: String) { text = word }

    var argumentText: String { text }

    /// Parses the address; `option` names it in messages.
    func address(of option: String) throws(ValidationError) -> SourceAddress {
        do throws(SourceError) {
            return try SourceAddress(text)
        } catch {
            throw ValidationError("\(option): \(error)")
        }
    }
}

/// A source of documents that can be opened when its turn comes.
struct OpenableSource: Sendable {
    /// The address, which means the same in every folder.
    let address: SourceAddress
    private let access: SourceAccess
    /// The target and the collection in it, if the source is one.
    private let collection: (target: OpenableTarget, choice: CollectionChoice)?

    /// Resolves the place of a collection; opens nothing yet.
    init(
        _ address: SourceAddress,
        _ access: SourceAccess,
        at target: TargetOptions,
        besides collection: String?
    ) throws {
        self.address = address.absolute(in: ProcessEnvironment.currentFolder)
        self.access = access
        guard case .collection(let name, let place) = address.location else {
            self.collection = nil
            return
        }
        guard access.credentialsFile == nil else {
            throw ArgumentError("--source-credentials-file is not for a collection, whose context has its credentials")
        }
        let argument = SourceArgument(collection: name, of: place)
        let from = try target.source(argument, besides: collection)
        self.collection = (from, from.collection(name))
    }

    /// What tells the source from others, without secrets.
    var identity: [String] {
        guard let collection else { return ["\(address)"] }
        return ["\(collection.target.resolved.address)", collection.choice.engineName.rawValue]
            + address.parameters.flatMap { [$0.name, $0.value] }
    }

    /// The files that it is read from, as far as they are known before.
    var files: [String] {
        if let collection { return collection.target.resolved.address.files }
        if case .folder = address.location { return [] }
        return [address.path].compactMap(\.self)
    }

    /// The collection that it is; `nil` if it is none.
    var collectionChoice: (target: OpenableTarget, choice: CollectionChoice)? { collection }

    /// Opens the source; what it holds is read later.
    func open() async throws -> any DocumentSource {
        switch address.location {
        case .file(let format, let path):
            var options = FileSource.Options()
            options.idKey = address["id"] ?? "id"
            options.versionKey = address["version"]
            options.routingKey = address["routing"]
            options.encoding = address["encoding"]
            options.delimiter = try delimiter()
            return try FileSource(path, format, options, named: "\(address)")
        case .collection: return try await openCollection()
        case .folder(let path): return try FolderSource(path, folderOptions(), named: "\(address)")
        case .query(let sql, let path):
            var options = SQLiteQuerySource.Options()
            options.idColumn = address["id"]
            options.versionColumn = address["version"]
            options.routingColumn = address["routing"]
            return try SQLiteQuerySource(sql, inFile: path, options, named: "\(address)")
        case .sitemap, .sitemapFile, .azureTable, .azureBlob:
            throw SourceError(.unsupported, "'\(address)' can't be read by this version")
        }
    }

    private func folderOptions() throws(SourceError) -> FolderSource.Options {
        func choice<Choice: RawRepresentable & CaseIterable>(_ name: String) throws(SourceError) -> Choice?
        where Choice.RawValue == String {
            guard let text = address[name] else { return nil }
            guard let choice = Choice(rawValue: text) else {
                let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
                throw SourceError(.invalidAddress, "\(name)=\(text) is not known", advice: "expected one of \(choices)")
            }
            return choice
        }
        var options = FolderSource.Options()
        let patterns = address.values(of: "glob")
        if !patterns.isEmpty { options.patterns = patterns }
        options.base = address["base"]
        options.identity = try choice("id") ?? (options.base == nil ? .path : .url)
        options.version = try choice("version") ?? .modified
        options.encoding = address["encoding"]
        return options
    }

    private func delimiter() throws -> UInt8? {
        guard let text = address["delimiter"] else { return nil }
        do throws(ArgumentExpectation) {
            return try CSVDelimiter(argument: text).character
        } catch {
            throw SourceError(.invalidAddress, "delimiter=\(text) is not \(error.text)")
        }
    }

    private func openCollection() async throws -> any DocumentSource {
        guard let (target, choice) = collection else { preconditionFailure("a collection has its target") }
        guard let engine = try await target.open(choice).engine as? any VersionedEngine else {
            throw SourceError(.unsupported, "'\(address)' does not tell what has changed, so it can't be a source")
        }
        let origin = CopyOrigin(target: "\(target.resolved.address)", collection: choice.engineName, idKey: "")
        return CollectionSource(engine, origin, versionKey: address["version"], named: "\(address)")
    }
}
