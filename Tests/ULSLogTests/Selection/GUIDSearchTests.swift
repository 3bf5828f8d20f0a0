import Testing

@testable import ULSLog

@Suite struct GUIDSearchTests {
    private static let guid = "1813d1bc-8cc3-e6fe-1515-2b2574a5b2c9"

    private func search(_ text: [UInt8], to end: Int? = nil) throws -> (index: Int?, lineEnds: Int, offset: Int) {
        let padded = text + Array(repeating: 0, count: ByteWindow.slack)
        let search = try #require(GUIDSearch(Self.guid))
        let result = search.first(in: ByteWindow(padded.span), to: end ?? text.count)
        return (result.index, result.lineEnds, result.offset)
    }

    private func lines(_ count: Int) -> [UInt8] { (0..<count).map { $0 % 37 == 0 ? 0x0A : 0x20 } }

    @Test func `a GUID is found wherever it stands`() throws {
        for place in 0..<700 {
            let text = lines(place) + Array(Self.guid.utf8) + lines(700 - place)
            let result = try search(text)
            #expect(result.index == place)
            #expect(result.lineEnds == text[..<result.offset].count { $0 == 0x0A })
        }
    }

    @Test(arguments: [36, 37, 64, 255, 256, 257, 291, 300, 5000])
    func `a GUID at the very end is found, and one that the end cuts is not`(length: Int) throws {
        let text = lines(length - 36) + Array(Self.guid.utf8)
        #expect(try search(text).index == length - 36)
        #expect(try search(text, to: length - 1).index == nil)
    }

    @Test func `the case of letters does not matter`() throws {
        #expect(try search(lines(300) + Array(Self.guid.uppercased().utf8) + lines(300)).index == 300)
    }

    @Test func `the first of several is found`() throws {
        let text = lines(100) + Array(Self.guid.utf8) + lines(50) + Array(Self.guid.utf8) + lines(400)
        #expect(try search(text).index == 100)
    }

    @Test func `GUIDs that have groups in common are told apart`() throws {
        var text: [UInt8] = []
        for number in 0..<300 {
            let other = "1813d1b\(number % 10)-8cc3-e6fe-1515-2b2574a5b2c\(number % 9)"
            text += Array(other.utf8) + lines(number % 40)
        }
        #expect(try search(text).index == nil)
        let count = text.count
        #expect(try search(text + Array(Self.guid.utf8) + text).index == count)
    }

    @Test(arguments: [0, 1, 35, 255, 256, 257, 3840, 3841, 20_000])
    func `every line end before the offset is counted`(length: Int) throws {
        for text in [lines(length), Array(repeating: 0x0A, count: length)] {
            let result = try search(text)
            #expect(result.index == nil)
            #expect(result.lineEnds == text[..<result.offset].count { $0 == 0x0A })
        }
    }

    @Test(arguments: ["", "1813d1bc", "1813d1bc-8cc3-e6fe-1515-2b2574a5b2c", "1813d1bc-8cc3-e6fe-1515-2b2574a5b2c90"])
    func `what is no whole GUID is looked for otherwise`(text: String) {
        #expect(GUIDSearch(text) == nil)
    }
}
