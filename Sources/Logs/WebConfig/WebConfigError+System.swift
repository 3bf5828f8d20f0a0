import Glibc

extension WebConfigError {
    /// What the system says of a file or a folder.
    init(errno number: CInt, source: WebConfigSource) {
        let text = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        let advice: String? =
            switch number {
            case ENOENT, ENOTDIR: "check the path"
            case EACCES, EPERM: "let this user read it, or copy it"
            case EIO, ESTALE: "copy it from its disk or share, and read the copy"
            case EMFILE, ENFILE: "raise the limit of open files (ulimit -n)"
            default: nil
            }
        self.init(
            code: .cannotOpen,
            source: source,
            message: text.prefix(1).lowercased() + text.dropFirst(),
            advice: advice
        )
    }
}
