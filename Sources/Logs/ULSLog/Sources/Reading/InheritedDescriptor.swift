import Glibc

/// A path that stands for a descriptor which the process was started with.
struct InheritedDescriptor: Hashable {
    let number: CInt

    static let standardInput = InheritedDescriptor(number: STDIN_FILENO)

    private init(number: CInt) { self.number = number }

    init?(_ path: String) {
        if path == "/dev/stdin" {
            number = STDIN_FILENO
            return
        }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            guard let number = CInt(path.dropFirst(folder.count)), number >= 0 else { return nil }
            self.number = number
            return
        }
        return nil
    }
}
