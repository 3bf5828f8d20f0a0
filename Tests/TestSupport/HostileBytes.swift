/// Damages text as disks, editors and attackers do.
public struct ByteMutation {
    private var random: SeededGenerator

    public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Returns a text composed of other texts, damaged in some places.
    public mutating func mutated(_ texts: [[UInt8]], maximumBytes: Int = 6000) -> [UInt8] {
        var bytes = piece(of: texts, maximumBytes)
        for _ in 0..<Int.random(in: 0...12, using: &random) { damage(&bytes, texts) }
        return Array(bytes.prefix(2 * maximumBytes))
    }

    private mutating func piece(of texts: [[UInt8]], _ maximum: Int) -> [UInt8] {
        guard let text = texts.randomElement(using: &random), !text.isEmpty else { return [] }
        let start = Bool.random(using: &random) ? 0 : Int.random(in: 0..<text.count, using: &random)
        return Array(text[start...].prefix(Int.random(in: 1...maximum, using: &random)))
    }

    private mutating func damage(_ bytes: inout [UInt8], _ texts: [[UInt8]]) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &random)
        case 2:
            bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 0...200, using: &random)))
        case 3: bytes.insert(contentsOf: piece(of: texts, 600), at: place)
        case 4, 5:
            let token = Self.tokens.randomElement(using: &random) ?? []
            let times = Int.random(in: 0..<6, using: &random) == 0 ? Int.random(in: 1...100, using: &random) : 1
            for _ in 0..<times { bytes.insert(contentsOf: token, at: place) }
        case 6: changeNumber(&bytes, place)
        default: changeLines(&bytes)
        }
    }

    /// Replaces a number with another one.
    private mutating func changeNumber(_ bytes: inout [UInt8], _ place: Int) {
        let isDigit = { (byte: UInt8) in byte &- 0x30 <= 9 }
        guard let start = bytes[place...].firstIndex(where: isDigit) else { return }
        let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
        bytes.replaceSubrange(start..<end, with: Self.numbers.randomElement(using: &random) ?? [])
    }

    /// Duplicates a line, drops one, or swaps two of them.
    private mutating func changeLines(_ bytes: inout [UInt8]) {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        let one = Int.random(in: 0..<lines.count, using: &random)
        let other = Int.random(in: 0..<lines.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: lines.insert(lines[one], at: other)
        case 1: lines.swapAt(one, other)
        default: lines.remove(at: one)
        }
        bytes = Array(lines.joined(separator: [0x0A]))
    }

    private static let tokens: [[UInt8]] = [
        [0x09], [0x2E, 0x2E, 0x2E], [0x2E], [0x2A], [0], [0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xC2, 0xA0], [0xC0, 0x80],
        [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x80], [0x1B, 0x5B, 0x32, 0x4A], [0xC2, 0x9B],
        [0xE2, 0x80, 0xAE], [0x0D], [0x0A], [0x0D, 0x0A], [0x20], [0x7F], [0x22], Array("-".utf8), Array("(".utf8),
        Array(")".utf8), Array("\r\n\r\n".utf8), Array("Timestamp\t".utf8), Array("; CPU Milliseconds=".utf8),
        Array("Execution Time=99999999999999999999.9".utf8), Array("\t00000000-0000-0000-0000-000000000000\n".utf8),
        Array("12/31/9999 23:59:59.99 \t".utf8), Array("01/01/0001 00:00:00.00*\t".utf8),
        Array("0000-01-01T00:00:00.999999999Z\t".utf8), Array("Leaving Monitored Scope (".utf8),
    ]

    private static let numbers: [[UInt8]] = [
        "0", "00", "13", "24", "31", "60", "99", "9999", "-1", "2147483648", "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616", "1e308", "0.0000000000000000000000001", "NaN", "", "00000000000000000000000000000001",
        "340282366920938463463374607431768211456",
    ].map { Array($0.utf8) }
}

/// Random numbers that a test can reproduce: SplitMix64.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
