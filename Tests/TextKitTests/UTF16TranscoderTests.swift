import Testing
import TextKit

struct UTF16TranscoderTests {
    @Test(arguments: [false, true], 1...5)
    func `The transcoded text is the same however the input is divided`(isBigEndian: Bool, piece: Int) {
        let text = "Größe 日本 🧭\r\n"
        #expect(transcoded(units(text, isBigEndian), isBigEndian, piece, .character) == Array(text.utf8))
    }

    @Test func `A lone surrogate is replaced, or becomes invalid UTF-8`() {
        let bytes: [UInt8] = [0x3D, 0xD8, 0x61, 0x00, 0x00, 0xDC, 0x62]
        #expect(String(decoding: transcoded(bytes, false, 1, .character), as: UTF8.self) == "\u{FFFD}a\u{FFFD}\u{FFFD}")
        let marked = transcoded(bytes, false, 1, .invalidBytes)
        #expect(marked == [0xED, 0xA0, 0xBD, 0x61, 0xED, 0xB0, 0x80, 0xFF])
        #expect(String(validating: marked, as: UTF8.self) == nil)
    }

    @Test func `Places that cannot be decoded are counted`() {
        var transcoder = UTF16Transcoder(isBigEndian: true, replacement: .character)
        var output: [UInt8] = []
        let bytes: [UInt8] = [0xDC, 0x00, 0x00, 0x61, 0xD8, 0x00, 0x01]
        transcoder.transcode(bytes.span, into: &output)
        transcoder.finish(into: &output)
        #expect(transcoder.undecodable == 3)
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0x61], ByteOrderMark.utf8), ([0xFF, 0xFE], .utf16(isBigEndian: false)),
            ([0xFE, 0xFF, 0], .utf16(isBigEndian: true)), ([0x61, 0xFF, 0xFE], nil), ([], nil),
        ] as [([UInt8], ByteOrderMark?)]
    )
    func `A byte-order mark identifies the encoding`(bytes: [UInt8], mark: ByteOrderMark?) {
        #expect(ByteOrderMark(startOf: bytes.span) == mark)
        if let mark { #expect(mark.length <= ByteOrderMark.maximumLength) }
    }

    private func units(_ text: String, _ isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
    }

    private func transcoded(
        _ bytes: [UInt8],
        _ isBigEndian: Bool,
        _ piece: Int,
        _ replacement: UTF16Transcoder.Replacement
    ) -> [UInt8] {
        var transcoder = UTF16Transcoder(isBigEndian: isBigEndian, replacement: replacement)
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let end = min(start + piece, bytes.count)
            transcoder.transcode(bytes.span.extracting(start..<end), into: &output)
        }
        transcoder.finish(into: &output)
        return output
    }
}
