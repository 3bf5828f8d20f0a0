import Glibc

/// An error in opening or reading an input.
public struct InputError: Error, Hashable, Sendable {
    /// The kind of failure, for programs to act on.
    public enum Code: Hashable, Sendable {
        case missing
        case permission
        case directory
        /// The requested column is not in the table; nothing was sent.
        case unknownColumn
        /// The first row of a table can't be read.
        case malformedHeader
        /// The input does not begin as its format requires; nothing was sent.
        case wrongFormat
        /// The system has no more memory or open files to give.
        case exhausted
        /// The input is not the one that an earlier run read.
        case changed
        /// Any other system error on opening.
        case cannotOpen
        /// Reading failed after the input had been opened.
        case cannotRead
        /// What came through a pipe can't be kept: the spool has reached its limit, or its disk is full.
        case spoolFull
        /// What came through a pipe can't be kept, or read again, because of any other error with the spool.
        case spoolFailed
    }

    /// The kind of failure.
    public var code: Code
    /// A path, `standard input` or `argument`.
    public var source: String
    /// Description of the problem, without the source.
    public var reason: String

    /// Creates an error about a source.
    public init(_ code: Code, source: String, reason: String) {
        self.code = code
        self.source = source
        self.reason = reason
    }
}

extension InputError: CustomStringConvertible {
    public var description: String {
        switch code {
        case .missing, .permission, .directory, .exhausted, .cannotOpen: "cannot open '\(source)': \(reason)"
        case .cannotRead: "cannot read '\(source)': \(reason)"
        case .unknownColumn, .malformedHeader, .wrongFormat, .changed, .spoolFull, .spoolFailed:
            "\(source): \(reason)"
        }
    }
}

extension InputError {
    init(errno number: CInt, source: String) {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR: .missing
            case EACCES, EPERM: .permission
            case EISDIR: .directory
            case EMFILE, ENFILE, ENOMEM: .exhausted
            default: .cannotOpen
            }
        self.init(code, source: source, reason: Self.text(number))
    }

    /// Returns the system's error text as a fragment: `no such file or directory`.
    static func text(_ number: CInt) -> String {
        let text = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

/// A number of bytes, in words: `1 byte`, `28,000,031 bytes`, `8 GiB`.
struct BytesInWords: CustomStringConvertible {
    let description: String

    init(_ count: some BinaryInteger, inUnits: Bool = false) {
        let units: [(String, Int)] = inUnits ? [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] : []
        if let (unit, bytes) = units.first(where: { count > 0 && Int(count) % $0.1 == 0 }) {
            description = "\(Int(count) / bytes) \(unit)"
            return
        }
        var text = ""
        for (index, digit) in "\(count)".reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        description = String(text.reversed()) + (count == 1 ? " byte" : " bytes")
    }
}
