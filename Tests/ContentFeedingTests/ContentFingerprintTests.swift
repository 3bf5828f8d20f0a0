import Testing

@testable import ContentFeeding

/// The comparison of contents by meaning.
struct ContentFingerprintTests {
    private static let loose: EngineCapabilities = {
        var capabilities = EngineCapabilities()
        capabilities.keepsDocumentBytes = false
        capabilities.mayChangeIDKey = true
        capabilities.keptKeys = ["_version_"]
        return capabilities
    }()

    private func digest(_ json: String, _ capabilities: EngineCapabilities = EngineCapabilities()) -> UInt64 {
        ContentFingerprint(for: capabilities).digest(of: Array(json.utf8).span, id: ("A" as DocumentID).utf8)
    }

    /// Equal meanings must have equal digests in each notation, and different meanings different ones; since digests
    /// are compared, the comparison is an equivalence.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `Documents have the same digest if and only if they have the same meaning`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let documents = (0..<400).map { _ in Meaning.document(&random) }
        let digests = documents.map { meaning in
            (0..<2).map { _ in digest(meaning.notation(&random)) }
        }
        var (faults, equals): ([String], Int) = ([], 0)
        for first in documents.indices {
            for second in first..<documents.count {
                let isSame = documents[first] == documents[second]
                if isSame { equals += 1 }
                if isSame != (digests[first][0] == digests[second][1]) {
                    faults.append("\(documents[first]) and \(documents[second])")
                }
            }
        }
        #expect(faults.isEmpty, "\(faults.prefix(5))")
        #expect(equals > 500)
    }

    @Test(arguments: [
        (#"{"a":"2026-11-29T12:00:00Z"}"#, #"{"a":"2026-11-29T12:00Z"}"#),
        (#"{"a":"2026-11-29T23:30:00.50Z"}"#, #"{"a":"2026-11-30T01:30:00.5+0200"}"#),
        (#"{"a":"2026-02-28T23:00:00-02"}"#, #"{"a":"2026-03-01T01:00:00Z"}"#), (#"{"a":5e-1}"#, #"{"a":0.5}"#),
    ])
    func `Notations of times and numbers do not matter`(left: String, right: String) {
        #expect(digest(left) == digest(right))
        #expect(digest(left, Self.loose) == digest(right, Self.loose))
    }

    @Test(arguments: [
        (#"{"a":1,"_version_":7}"#, #"{"a":"1"}"#), (#"{"a":2.50}"#, #"{"a":["2.5"]}"#),
        (#"{"a":-5e-2}"#, #"{"a":"-0.05"}"#),
        (#"{"a":1e3}"#, #"{"a":"1000"}"#), (#"{"a":null,"b":[],"c":[null]}"#, "{}"),
        (#"{"id":"A","a":1}"#, #"{"a":1}"#),
        (#"{"a":true}"#, #"{"a":"true"}"#), (#"{"a":"2026-11-29"}"#, #"{"a":"2026-11-29T00:00:00Z"}"#),
        (#"{"a":"2026-11-29 12:00"}"#, #"{"a":["2026-11-29T12:00:00.000Z"]}"#),
        (#"{"a":12345678901234567890}"#, #"{"a":"12345678901234567890"}"#),
        (#"{"a":0.1000000000000000055}"#, #"{"a":0.1}"#),
    ])
    func `For an engine that keeps only the meaning of values, more notations have the same digest`(
        left: String,
        right: String
    ) {
        #expect(digest(left, Self.loose) == digest(right, Self.loose))
        #expect(digest(left) != digest(right))
    }

    @Test(arguments: [
        (#"{"a":"007"}"#, #"{"a":7}"#), (#"{"a":["x","y"]}"#, #"{"a":["y","x"]}"#), (#"{"a":"1.50"}"#, #"{"a":"1.5"}"#),
        (#"{"a":"x"}"#, #"{"b":"x"}"#), (#"{"a":"2026-11-29"}"#, #"{"a":"2026-11-30"}"#), (#"{"id":"B"}"#, "{}"),
        (#"{"a":"2026-11-29T12:00:00Z"}"#, #"{"a":"2026-11-29T12:00:00.001Z"}"#), ("[]", "{}"), ("{", "{}"),
        (#"{"a":{"_version_":7}}"#, #"{"a":{}}"#), (#"{"a":1e41}"#, #"{"a":1e42}"#),
    ])
    func `Different values have different digests with each engine`(left: String, right: String) {
        #expect(digest(left, Self.loose) != digest(right, Self.loose))
        #expect(digest(left) != digest(right))
    }

    @Test func `The members of an update include those that it removes`() throws {
        let fingerprint = ContentFingerprint(for: Self.loose)
        var names: [UInt64: String] = [:]
        let patch = Array(#"{"a":1,"b":null,"c":[],"d":"A","_version_":1}"#.utf8)
        let id: DocumentID = "A"
        let members = fingerprint.members(of: patch.span, id: id.utf8, isPatch: true) { names[$0] = $1 }
        let found = try #require(members).map { "\(names[$0.key] ?? "?") \($0.value == 0)" }
        #expect(found.sorted() == ["a false", "b true", "c true"])
        #expect(fingerprint.members(of: Array("[1]".utf8).span, id: id.utf8) == nil)
    }
}

/// A JSON value by its meaning; texts are bytes, because Swift's strings are equal if they look the same.
private indirect enum Meaning: Hashable {
    case object([String: Meaning])
    case list([Meaning])
    case text([UInt8])
    /// A number in hundredths.
    case number(Int)
    /// A time on 2026-11-29, in halves of a second.
    case instant(Int)
    case bool(Bool)
    case null

    /// Returns a random document with few keys and values, so that many documents are the same.
    static func document(_ random: inout SplitMix64) -> Meaning { object(&random, depth: 1) }

    private static func object(_ random: inout SplitMix64, depth: Int) -> Meaning {
        var members: [String: Meaning] = [:]
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            members["ab".randomElement(using: &random).map(String.init) ?? ""] = value(&random, depth: depth)
        }
        return .object(members)
    }

    /// Texts, including some that resemble other values.
    private static let texts = [
        "", "x", "1", "true", "\u{e9}", "e\u{301}", "\"\n", "2026-11-29", "2026-11-29T12:00:00",
        "2026-13-29T12:00:00Z", "2026-11-29T24:00:00Z", "2026-11-29 12:00:00Z",
    ]

    private static func value(_ random: inout SplitMix64, depth: Int) -> Meaning {
        switch Int.random(in: 0..<(depth < 3 ? 7 : 5), using: &random) {
        case 0: .text(Array((texts.randomElement(using: &random) ?? "").utf8))
        case 1: .number([-150, -100, 0, 1, 10, 100, 1000].randomElement(using: &random) ?? 0)
        case 2: .instant(2 * 43_200 + Int.random(in: 0...2, using: &random))
        case 3: .bool(Bool.random(using: &random))
        case 4: .null
        case 5: .list((0..<Int.random(in: 0...2, using: &random)).map { _ in value(&random, depth: depth + 1) })
        default: object(&random, depth: depth + 1)
        }
    }

    /// Returns the value in a random notation.
    func notation(_ random: inout SplitMix64) -> String {
        let space = ["", "", " ", "\n\t"].randomElement(using: &random) ?? ""
        switch self {
        case .object(let members):
            var parts = members.keys.shuffled(using: &random).map { key in
                "\"\(key)\"\(space):\(space)\(members[key, default: .null].notation(&random))"
            }
            // If a key occurs twice, the last one counts.
            if Bool.random(using: &random), let key = members.keys.first { parts.insert("\"\(key)\":[7]", at: 0) }
            return "{\(space)" + parts.joined(separator: "\(space),") + "}"
        case .list(let elements):
            return "[" + elements.map { $0.notation(&random) }.joined(separator: ",\(space)") + "\(space)]"
        case .text(let bytes):
            let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
                let isPlain = scalar.value >= 0x20 && scalar != "\"" && Bool.random(using: &random)
                let digits = String(scalar.value, radix: 16)
                return isPlain ? "\(scalar)" : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            return "\"" + scalars.joined() + "\""
        case .number(let hundredths): return Self.notation(ofHundredths: hundredths, &random)
        case .instant(let halves): return Self.notation(ofHalves: halves, &random)
        case .bool(let isTrue): return "\(isTrue)"
        case .null: return "null"
        }
    }

    private static func notation(ofHundredths hundredths: Int, _ random: inout SplitMix64) -> String {
        let (sign, size) = (hundredths < 0 ? "-" : "", abs(hundredths))
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return "\(hundredths)e-2"
        case 1: return "\(sign)\(size).0E-0002"
        default:
            let cents = size % 100 < 10 ? "0\(size % 100)" : "\(size % 100)"
            return size % 100 == 0 && Bool.random(using: &random)
                ? "\(sign)\(size / 100)" : "\(sign)\(size / 100).\(cents)0"
        }
    }

    private static func notation(ofHalves halves: Int, _ random: inout SplitMix64) -> String {
        let zones = [("Z", 0), ("+00:00", 0), ("-00", 0), ("+0130", 90), ("-05:30", -330)]
        let zone = zones.randomElement(using: &random) ?? ("Z", 0)
        let seconds = halves / 2 + zone.1 * 60
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        var text = "\"2026-11-29T\(padded(seconds / 3600)):\(padded(seconds / 60 % 60))"
        if halves % 2 == 1 || seconds % 60 != 0 || Bool.random(using: &random) { text += ":\(padded(seconds % 60))" }
        if halves % 2 == 1 {
            text += ".5" + (Bool.random(using: &random) ? "00" : "")
        } else if text.count > 18, Bool.random(using: &random) {
            text += ".000"
        }
        return text + zone.0 + "\""
    }
}
