import Files

/// The files that inputs name, listed again and again: folders and patterns name others as time goes by.
struct FollowedPaths {
    private let words: [String]
    private let encoding: TextEncoding?

    /// Takes the inputs.
    ///
    /// - Throws: A ``LogError`` if one of them is not there, or is nothing that grows.
    init(_ words: [String], encoding: TextEncoding?) throws {
        self.words = words
        self.encoding = encoding
        for word in words { try Self.check(word) }
    }

    private static func check(_ word: String) throws {
        func refusal(_ reason: String, advice: String?) -> LogError {
            LogError(code: .cannotOpen, message: "cannot follow '\(word)': \(reason)", advice: advice)
        }
        guard let status = FileStatus(path: word) else {
            let failure = LogSourceError(missing: word)
            guard failure.code == .missing, PathPattern(word) != nil else {
                throw LogError(code: .cannotOpen, message: failure.message, advice: failure.advice)
            }
            return
        }
        switch status.kind {
        case .folder: return
        case .pipe, .special:
            throw refusal("only files and folders can be followed", advice: "read a pipe without --follow")
        case .file:
            do throws(LogSourceError) {
                let head = try SourceHead(of: OpenFile.open(word))
                try head.refuseForeignFormats(source: word)
                guard !head.isPacked else {
                    throw LogSourceError(.unsupported, source: word, reason: "it is packed, and does not grow")
                }
            } catch {
                throw LogError(code: .cannotOpen, message: error.message, advice: error.advice)
            }
        }
    }

    /// The folders in which files may come and go.
    var folders: [String] {
        var folders: [String] = []
        for word in words {
            let folder = FileStatus(path: word)?.kind == .folder ? word : Self.folder(of: word)
            if !folders.contains(folder) { folders.append(folder) }
        }
        return folders
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the files that are there now, in reading order, each once; what is packed does not grow.
    func list() -> [(source: LogSource, status: FileStatus)] {
        var seen: Set<FileIdentity> = []
        var found: [String: FileStatus] = [:]
        let paths = words.flatMap { word -> [String] in
            switch FileStatus(path: word)?.kind {
            case .file: return [word]
            case .folder: return ((try? LogFolder(word))?.logs ?? []).filter { !LogNameKind($0).isPacked }
            case .pipe, .special: return []
            case nil: return (PathPattern(word)?.matches() ?? []).filter { !LogNameKind($0).isPacked }
            }
        }
        let sources = paths.compactMap { path -> LogSource? in
            guard let status = FileStatus(path: path), status.kind == .file, seen.insert(status.identity).inserted
            else {
                return nil
            }
            found[path] = status
            return LogSource(name: path, kind: .file(path: path, size: status.size), encoding: encoding)
        }
        return LogSource.inReadingOrder(sources).compactMap { source in found[source.name].map { (source, $0) } }
    }
}
