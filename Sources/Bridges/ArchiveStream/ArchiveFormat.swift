import CLibArchive
import Glibc

/// The format of a compressed file or archive, detected from its first bytes.
package enum ArchiveFormat: String, Hashable, Sendable, CaseIterable {
    case bzip2
    case gzip
    case sevenZip = "7z"
    case tar
    case xz
    case zip
    case zstd

    /// The number of bytes that is always enough to detect the format.
    package static let signatureLength = 512

    /// Recognizes a format by the first bytes of a file; `nil` if the file is neither compressed nor an archive.
    package init?(startOf bytes: Span<UInt8>, among formats: [ArchiveFormat] = Self.allCases) {
        guard let format = formats.first(where: { $0.evidence(in: bytes) == .found }) else { return nil }
        self = format
    }

    /// Returns whether more bytes are needed to decide.
    ///
    /// Text is distinguished from an archive within its first 100 bytes or at its first line end, so a slow pipe causes
    /// no delay.
    package static func mayBegin(_ bytes: Span<UInt8>, among formats: [ArchiveFormat] = Self.allCases) -> Bool {
        formats.contains { $0.evidence(in: bytes) == .partial }
    }

    /// Whether the directory is at the end of the file, so that the format can't be read from a pipe.
    package var needsFile: Bool { self == .sevenZip }

    private func evidence(in bytes: Span<UInt8>) -> FormatEvidence {
        switch self {
        case .bzip2:
            // The block size is followed by a block, or by the end of an empty file.
            let sizes = (UInt8(ascii: "1")...UInt8(ascii: "9")).map { Array("BZh".utf8) + [$0] }
            let blocks: [[UInt8]] = [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]]
            return FormatEvidence(of: sizes.flatMap { size in blocks.map { size + $0 } }, in: bytes)
        case .gzip: return FormatEvidence(of: [[0x1F, 0x8B, 0x08]], in: bytes)
        case .sevenZip: return FormatEvidence(of: [[0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]], in: bytes)
        case .tar: return TarHeader.evidence(in: bytes)
        case .xz: return FormatEvidence(of: [[0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]], in: bytes)
        case .zip:
            // An entry, the directory of an empty archive, or a part of a split archive.
            return FormatEvidence(of: [[3, 4], [5, 6], [7, 8]].map { Array("PK".utf8) + $0 }, in: bytes)
        case .zstd:
            // A frame, or one of the sixteen skippable kinds.
            let skipped = (UInt8(0x50)...0x5F).map { [$0, 0x2A, 0x4D, 0x18] }
            return FormatEvidence(of: skipped + [[0x28, 0xB5, 0x2F, 0xFD]], in: bytes)
        }
    }
}

/// The result of comparing the first bytes with a signature.
private enum FormatEvidence {
    case found
    /// All bytes so far match, but more are needed.
    case partial
    case none

    /// Compares bytes with the possible signatures of a format.
    init(of signatures: [[UInt8]], in bytes: Span<UInt8>) {
        self = .none
        for signature in signatures {
            let compared = min(signature.count, bytes.count)
            guard (0..<compared).allSatisfy({ bytes[$0] == signature[$0] }) else { continue }
            self = compared == signature.count ? .found : .partial
            if self == .found { return }
        }
    }
}

/// The first block of a tar file; only its checksum identifies it reliably (POSIX.1-1988, `ustar`).
private enum TarHeader {
    private static let length = 512
    /// The name: text, usually up to a NUL.
    private static let name = 0..<100
    /// The mode, owner, group, size and time, in octal digits or, with a high bit, in binary.
    private static let numbers = 100..<148
    private static let checksum = 148..<156

    static func evidence(in bytes: Span<UInt8>) -> FormatEvidence {
        guard mayBegin(bytes) else { return .none }
        guard bytes.count >= length else { return .partial }
        guard let claimed = number(in: bytes.extracting(checksum)) else { return .none }
        // The checksum field itself counts as spaces. Old programs treated the bytes as signed.
        var unsigned = 0
        var signed = 0
        for index in 0..<length {
            let byte = checksum.contains(index) ? UInt8(ascii: " ") : bytes[index]
            unsigned += Int(byte)
            signed += Int(Int8(bitPattern: byte))
        }
        return claimed == unsigned || claimed == signed ? .found : .none
    }

    /// Returns whether the bytes so far could be a header: the name has no line end, and the number fields have no
    /// words.
    private static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<min(bytes.count, checksum.upperBound) {
            let byte = bytes[index]
            if name.contains(index) {
                // A header begins with a name; zeros indicate an empty tar file, or another kind of file.
                if byte == UInt8(ascii: "\n") || (index == 0 && byte == 0) { return false }
            } else if !isDigit(byte), byte != 0, byte != UInt8(ascii: " ") {
                guard numbers.contains(index), (bytes[fieldStart(of: index)] & 0x80) != 0 else { return false }
            }
        }
        return true
    }

    private static func fieldStart(of index: Int) -> Int {
        [136, 124, 116, 108, 100].first { $0 <= index } ?? index
    }

    private static func number(in field: Span<UInt8>) -> Int? {
        var value = 0
        var hasDigits = false
        for index in field.indices {
            if isDigit(field[index]) {
                value = value * 8 + Int(field[index] - UInt8(ascii: "0"))
                hasDigits = true
            } else if hasDigits {
                break
            }
        }
        return hasDigits ? value : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "7") ~= byte }
}

/// The limits on the output of an archive; an archive that exceeds them is refused.
///
/// Bytes are counted as they are produced, including those of unread entries, regardless of the sizes that the archive
/// claims.
package struct ArchiveLimits: Hashable, Sendable {
    /// The maximum number of bytes in all entries together.
    package var producedBytes: Int64 = 64 << 30

    /// The maximum number of bytes in one entry.
    package var entryBytes: Int64 = 32 << 30

    /// The highest ratio of expanded to compressed bytes.
    ///
    /// Logs reach about 40; zip bombs have at least 1000.
    package var ratio: Int64 = 250

    /// The number of expanded bytes before the ratio is checked.
    package var ratioGrace: Int64 = 64 << 20

    /// The maximum number of entries of any kind, including directories and links.
    package var entries = 100_000

    /// The longest name of an entry, in bytes; longer names are truncated.
    package var nameBytes = 1024

    package init() {}
}

/// Counts the output of an archive, and throws if it exceeds the limits.
struct ArchiveMeter {
    let limits: ArchiveLimits
    private(set) var entries = 0
    private var produced: Int64 = 0
    private var producedByEntry: Int64 = 0

    init(limits: ArchiveLimits) { self.limits = limits }

    /// Counts a new entry.
    mutating func begin(
        _ entry: ArchiveReader.Entry,
        in archive: OpaquePointer,
        from input: ArchiveInput?
    ) throws(ArchiveError) {
        entries += 1
        producedByEntry = 0
        guard entries <= limits.entries else {
            throw ArchiveError(
                code: .tooManyEntries,
                message: "more than \(limits.entries) entries",
                entry: entry.name
            )
        }
        try add(0, in: archive, entry: entry.name, from: input)
    }

    /// Counts bytes expanded from the current entry.
    mutating func add(
        _ count: Int,
        in archive: OpaquePointer,
        entry: String?,
        from input: ArchiveInput?
    ) throws(ArchiveError) {
        produced += Int64(count)
        producedByEntry += Int64(count)
        // Filter 0 is the last one, and its output includes the headers. Filter -1 is the first one, and reads the
        // file; its input is counted.
        let unpacked = max(produced, archive_filter_bytes(archive, 0))
        let consumed = max(input?.expandedFrom ?? archive_filter_bytes(archive, -1), 1)
        guard unpacked <= limits.producedBytes else {
            throw refusal(.tooLarge, "it unpacks to more than \(limits.producedBytes) bytes", entry)
        }
        guard producedByEntry <= limits.entryBytes else {
            throw refusal(.tooLarge, "one entry unpacks to more than \(limits.entryBytes) bytes", entry)
        }
        guard unpacked <= limits.ratioGrace || unpacked / consumed <= limits.ratio else {
            throw refusal(
                .suspiciousRatio,
                "one byte unpacks to more than \(limits.ratio) bytes: it may be a decompression bomb",
                entry
            )
        }
    }

    private func refusal(_ code: ArchiveError.Code, _ message: String, _ entry: String?) -> ArchiveError {
        ArchiveError(code: code, message: message, entry: entry)
    }
}

/// The reason an archive was refused.
package struct ArchiveError: Error, Hashable, Sendable {
    package var code: Code
    /// The problem, without the name of the entry.
    package var message: String
    /// The entry being read; `nil` before the first one, and if the input is a single unnamed file.
    package var entry: String?
}

extension ArchiveError {
    /// The kinds of failure.
    package struct Code: Hashable, Sendable {
        private enum Wrapped {
            case cannotRead, damaged, encrypted, needsFile, suspiciousRatio, tooLarge, tooManyEntries
        }
        private let wrapped: Wrapped

        /// The system failed to read the bytes.
        package static let cannotRead = Code(wrapped: .cannotRead)
        /// The bytes end too early, or do not have the format that their beginning indicates.
        package static let damaged = Code(wrapped: .damaged)
        /// A password is needed.
        package static let encrypted = Code(wrapped: .encrypted)
        /// The format can be read only from a file, and the input is a pipe.
        package static let needsFile = Code(wrapped: .needsFile)
        /// The ratio of expanded to compressed bytes exceeds the limit, as in a zip bomb.
        package static let suspiciousRatio = Code(wrapped: .suspiciousRatio)
        /// The archive expands to more bytes than allowed.
        package static let tooLarge = Code(wrapped: .tooLarge)
        /// The archive has more entries than allowed, including skipped ones.
        package static let tooManyEntries = Code(wrapped: .tooManyEntries)
    }
}

extension ArchiveError: CustomStringConvertible {
    package var description: String { entry.map { "\($0): \(message)" } ?? message }
}

extension ArchiveError {
    /// Creates an error from the last failure of `archive`.
    init(_ archive: OpaquePointer, entry: String?) {
        self.entry = entry
        let number = archive_errno(archive)
        switch number {
        case EIO, EISDIR, EBADF, EACCES, EPERM, ESTALE, EAGAIN, ENXIO:
            code = .cannotRead
            message = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        default:
            code = number == ENOMEM ? .tooLarge : .damaged
            message = archive_error_string(archive).map { String(cString: $0) } ?? "it cannot be read"
        }
    }
}
