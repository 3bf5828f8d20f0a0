extension LogSource {
    /// Returns the first bytes of its first text, in UTF-8, to see what it is.
    ///
    /// - Returns: At most `count` bytes; `nil` for a pipe, of which bytes could not be given back.
    /// - Throws: A ``LogSourceError`` when it cannot be read.
    func peek(_ count: Int) throws(LogSourceError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        var filled = 0
        switch kind {
        case .file(let path, _):
            let file = try PlainFile(path: path)
            filled = try file.read(into: &bytes, at: file.textStart)
        case .stream(let origin) where origin.mayBeReadAgain:
            var stream = try LogStream(self)
            guard try stream.nextText() != nil else { return [] }
            while filled < count {
                let more = try stream.read(into: &bytes, from: filled)
                if more == 0 { break }
                filled += more
            }
        case .stream: return nil
        }
        return Array(bytes.prefix(filled))
    }
}

extension LogSource.Origin {
    /// Whether what was read of it is still there.
    fileprivate var mayBeReadAgain: Bool {
        switch self {
        case .path(let path): FileStatus(path: path)?.kind == .file && InheritedDescriptor(path) == nil
        case .standardInput: false
        case .memory: true
        }
    }
}
