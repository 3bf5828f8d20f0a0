import Foundation
import Testing
import TextKit

/// Compares the classes of bytes with the standard library's, for every byte.
@Suite
struct ASCIITests {
    private let bytes = UInt8.min...UInt8.max

    @Test
    func classesAreThoseOfTheStandardLibrary() {
        for byte in bytes {
            let character = Character(Unicode.Scalar(byte))
            let isASCII = byte < 0x80
            #expect(byte.isDigit == (isASCII && character.isWholeNumber), "\(byte)")
            #expect(byte.isLetter == (isASCII && character.isLetter), "\(byte)")
            #expect(byte.isUppercase == (isASCII && character.isUppercase), "\(byte)")
            #expect(byte.isLowercase == (isASCII && character.isLowercase), "\(byte)")
            #expect(byte.isHexadecimal == (isASCII && character.isHexDigit), "\(byte)")
            #expect(byte.isBlank == (isASCII && character.isWhitespace), "\(byte)")
            #expect(byte.isLetterOrDigit == (byte.isLetter || byte.isDigit), "\(byte)")
            #expect(byte.isUnreserved == (byte.isLetterOrDigit || "-._~".utf8.contains(byte)), "\(byte)")
            #expect(byte.hexadecimalValue.map(Int.init) == (isASCII ? character.hexDigitValue : nil), "\(byte)")
            #expect([byte.lowercased] == (isASCII ? Array(character.lowercased().utf8) : [byte]), "\(byte)")
        }
    }

    @Test
    func numbersArePadded() {
        #expect(7.padded(to: 2) == "07")
        #expect(2026.padded(to: 2) == "2026")
        #expect(UInt8(10).padded(to: 4, radix: 16) == "000a")
        #expect(UInt64.max.padded(to: 8, radix: 16, uppercase: true) == "FFFFFFFFFFFFFFFF")
    }
}

@Suite
struct HexadecimalTests {
    @Test
    func bytesAreWrittenAndRead() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = bytes.map { String(format: "%02x", Int($0)) }.joined()
        #expect(bytes.hexadecimal == text)
        #expect([UInt8](hexadecimal: text) == bytes)
        #expect([UInt8](hexadecimal: text.uppercased()) == bytes)
        #expect([UInt8](hexadecimal: "0") == nil)
        #expect([UInt8](hexadecimal: "0g") == nil)
        #expect([UInt8](hexadecimal: "") == [])
    }

    @Test
    func pairsAreThoseOfTheStandardLibrary() {
        for high in UInt8.min...UInt8.max {
            for low in UInt8.min...UInt8.max {
                // The standard library also accepts a sign and a digit as a pair.
                let isSigned = "+-".utf8.contains(high)
                let expected = isSigned ? nil : UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
                if UInt8(hexadecimal: high, low) != expected { Issue.record("\(high) \(low)") }
            }
        }
    }
}

@Suite
struct PercentTests {
    private static let texts = [
        "", "a", "%", "%4", "%41", "%4g%41", "a b/c?d=ä&é", "100%", "%%41", "%C3%A4", "\u{1F600}~-._",
    ]

    @Test(arguments: texts)
    func textIsEscapedAsByFoundation(text: String) {
        let unreserved = CharacterSet(charactersIn: "a"..."z").union(CharacterSet(charactersIn: "A"..."Z"))
            .union(CharacterSet(charactersIn: "0"..."9")).union(CharacterSet(charactersIn: "-._~"))
        #expect(Percent.encoded(text.utf8) == text.addingPercentEncoding(withAllowedCharacters: unreserved))
        let path = Percent.encoded(text.utf8) { $0.isUnreserved || $0 == UInt8(ascii: "/") }
        #expect(path == text.addingPercentEncoding(withAllowedCharacters: unreserved.union(["/"])))
        #expect(Percent.decoded(Percent.encoded(text.utf8).utf8) == Array(text.utf8))
        #expect(Percent.decoded(Percent.encoded(text.utf8, uppercase: false).utf8) == Array(text.utf8))
    }

    @Test
    func everyByteSurvives() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Percent.strictlyDecoded(Percent.encoded(bytes).utf8) == bytes)
        #expect(Percent.encoded([0xAB], uppercase: false) == "%ab")
    }

    @Test(arguments: texts)
    func textIsUnescapedAsByFoundation(text: String) {
        let strict = Percent.strictlyDecoded(text.utf8).map { String(decoding: $0, as: UTF8.self) }
        #expect(strict == text.removingPercentEncoding)
        if let strict { #expect(Percent.decoded(text.utf8) == Array(strict.utf8)) }
    }

    @Test
    func otherPercentSignsStandForThemselves() {
        #expect(Percent.decoded("%4g%41%".utf8) == Array("%4gA%".utf8))
        #expect(Percent.decoded("%+5".utf8) == Array("%+5".utf8))
        #expect(Percent.strictlyDecoded("%+5".utf8) == nil)
    }
}

@Suite
struct Base64Tests {
    @Test
    func bytesAreThoseOfFoundation() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count &* 7) }
            let text = Data(bytes).base64EncodedString()
            #expect(Base64.text(bytes) == text)
            #expect(Base64.bytes(text) == bytes)
        }
    }

    @Test(arguments: ["Zm9vYg=", "Zm9v Yg=", "Z===", "Zm9vYg==Zm9v", "Zm9\u{e9}", "Zm9-", "===="])
    func otherTextIsRefused(text: String) {
        #expect(Base64.bytes(text) == nil)
    }

    @Test func `URL-safe Base64 has no padding, and only the canonical encoding of the bytes is accepted`() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 251) }
            let text = Base64.urlText(bytes)
            let standard = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            #expect(text == standard.replacing("=", with: ""))
            #expect(Base64.urlBytes(text) == bytes)
        }
        #expect(Base64.urlBytes("-_-_") == [0xFB, 0xFF, 0xBF])
        for text in ["A", "AB", "AAB", "AA==", "AAA=", "+/+/", "AAAA\n", " AAA", "AA\u{301}A", "ＡAAA", "=", "AAAAA"] {
            #expect(Base64.urlBytes(text) == nil, "\(text)")
        }
    }
}

@Suite
struct CivilDateTests {
    private var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }

    @Test
    func daysAreThoseOfFoundation() {
        let calendar = calendar
        // From 1900 to 2200, and at distances around them; Foundation's calendar is Julian before 1582.
        for days in Array(stride(from: -25_567, through: 84_006, by: 1))
            + Array(stride(from: 84_006, to: 2_900_000, by: 997))
        {
            let parts = calendar.dateComponents(
                [.year, .month, .day, .weekday],
                from: Date(timeIntervalSince1970: Double(days) * 86_400)
            )
            let date = CivilDate(days: Int64(days))
            let isSame = date.year == Int64(parts.year ?? 0) && date.month == parts.month && date.day == parts.day
            guard isSame, date.weekday + 1 == parts.weekday, date.days == Int64(days) else {
                Issue.record("\(days): \(date)")
                return
            }
            guard CivilDate(year: date.year, month: date.month, day: date.day) == date else {
                Issue.record("\(date) is refused")
                return
            }
        }
    }

    @Test
    func dayBeyondItsMonthBelongsToTheNext() {
        #expect(CivilDate(year: 2026, month: 2, day: 29) == nil)
        #expect(CivilDate(days: CivilDate.days(year: 2026, month: 2, day: 31)).description == "2026-03-03")
        #expect(CivilDate(days: -719_528).description == "0000-01-01")
    }

    @Test
    func momentsAreThoseOfFoundation() {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for seconds in stride(from: 0, to: 5_000_000_000, by: 98_765_432) {
            let expected = Date(timeIntervalSince1970: Double(seconds) + 0.25).formatted(format)
            #expect(UTCTimestamp(since1970: .seconds(seconds) + .milliseconds(250)).description == expected)
        }
    }
}
