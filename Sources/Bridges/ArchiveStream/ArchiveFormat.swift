/// The format of a packed file, detected from its first bytes.
public enum ArchiveFormat: String, Hashable, Sendable, CaseIterable {
    case bzip2
    case gzip
    case sevenZip = "7z"
    case tar
    case xz
    case zip
    case zstd

    /// The number of first bytes that is enough to decide in every case.
    public static let signatureLength = 512

    /// Recognizes a format by the first bytes of a file; `nil` if the file is not packed.
    public init?(startOf bytes: Span<UInt8>, among formats: [ArchiveFormat] = Self.allCases) {
        guard let format = formats.first(where: { $0.evidence(in: bytes) == .found }) else { return nil }
        self = format
    }

    /// Returns whether more bytes are needed to tell.
    ///
    /// Text is distinguished from an archive within its first 100 bytes or at its first line end, so there is no
    /// waiting for a slow pipe.
    public static func mayBegin(_ bytes: Span<UInt8>, among formats: [ArchiveFormat] = Self.allCases) -> Bool {
        formats.contains { $0.evidence(in: bytes) == .partial }
    }

    /// Whether the directory is at the end, so that a pipe is not enough.
    public var needsFile: Bool { self == .sevenZip }

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
            // An entry, the directory of an empty archive, or one part of several.
            return FormatEvidence(of: [[3, 4], [5, 6], [7, 8]].map { Array("PK".utf8) + $0 }, in: bytes)
        case .zstd:
            // A frame, or one of the sixteen skippable kinds.
            let skipped = (UInt8(0x50)...0x5F).map { [$0, 0x2A, 0x4D, 0x18] }
            return FormatEvidence(of: skipped + [[0x28, 0xB5, 0x2F, 0xFD]], in: bytes)
        }
    }
}

/// The result of comparing first bytes with a signature.
private enum FormatEvidence {
    case found
    /// All bytes so far match, but there are too few.
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

/// The first block of a tar file; its only sure sign is its checksum (POSIX.1-1988, `ustar`).
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
        // The checksum's own field counts as blanks. Old programs treated the bytes as signed.
        var unsigned = 0
        var signed = 0
        for index in 0..<length {
            let byte = checksum.contains(index) ? UInt8(ascii: " ") : bytes[index]
            unsigned += Int(byte)
            signed += Int(Int8(bitPattern: byte))
        }
        return claimed == unsigned || claimed == signed ? .found : .none
    }

    /// Returns whether no byte so far rules out a header: no line end in the name, no words among the numbers.
    private static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<min(bytes.count, checksum.upperBound) {
            let byte = bytes[index]
            if name.contains(index) {
                // A header begins with a name; zeros are an empty tar, or not a tar at all.
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
