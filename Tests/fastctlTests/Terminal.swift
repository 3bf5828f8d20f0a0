import Glibc

/// A pseudo-terminal: the device that a command uses, and the end that the user would see.
///
/// Unchecked: only one thread accesses it.
final class Terminal: @unchecked Sendable {
    let device: Int32
    private let person: Int32
    private var seen: [UInt8] = []

    init?() {
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        // `TIOCSPTLCK` and `TIOCGPTN`, which Swift does not import, unlock the device and return its number.
        var (lock, number): (CInt, CInt) = (0, 0)
        let isOpen = ioctl(person, 0x4004_5431, &lock) == 0 && ioctl(person, 0x8004_5430, &number) == 0
        device = isOpen ? open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC) : -1
        guard device >= 0 else { return nil }
    }

    deinit {
        close(person)
        close(device)
    }

    /// Returns the text that has been printed so far.
    func text() -> String {
        var piece = [UInt8](repeating: 0, count: 4096)
        while case let count = read(person, &piece, piece.count), count > 0 { seen += piece.prefix(count) }
        return String(decoding: seen, as: UTF8.self)
    }

    /// Types text, as a user would.
    func type(_ words: String) { _ = write(person, words, words.utf8.count) }
}
