import ArchiveStream

extension LogSourceError {
    /// What the reader of archives says of `source`.
    init(_ error: ArchiveError, source: String) {
        let (code, advice): (Code, String?) =
            switch error.code {
            case .cannotRead: (.cannotRead, nil)
            case .encrypted: (.encrypted, "unpack it and give the folder")
            case .needsFile: (.unsupported, "save it to a file and give the file")
            case .suspiciousRatio, .tooLarge, .tooManyEntries: (.tooLarge, "unpack it and give the folder")
            default: (.damaged, "copy it again; the rest of it was not read")
            }
        self.init(code, source: source, entry: error.entry, reason: error.message, advice: advice)
    }
}
