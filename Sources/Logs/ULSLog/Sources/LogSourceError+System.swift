import Glibc

extension LogSourceError {
    /// What the system says of a file.
    init(errno number: CInt, source: String) {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: .missing
            case EACCES, EPERM: .permission
            case ENXIO: .special
            default: .cannotRead
            }
        let advice: String? =
            switch number {
            case EACCES, EPERM: "let this user read it, or copy it"
            case EIO, ESTALE: "copy it from its disk or share, and read the copy"
            case EMFILE, ENFILE: "raise the limit of open files (ulimit -n)"
            default: nil
            }
        self.init(code, source: source, reason: Self.text(number), advice: advice)
    }

    /// What the system says, as a fragment: `no such file or directory`.
    private static func text(_ number: CInt) -> String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        let sentence = unsafe String(cString: text)
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }
}
