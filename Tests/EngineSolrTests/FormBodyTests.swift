import TestSupport
import Testing

@testable import EngineSolr

struct FormBodyTests {
    @Test(arguments: HurtfulText.all)
    func anyTextComesBackByteByByte(text: String) {
        let form = FormBody([("id", text)]).bytes
        #expect(decoded(form.dropFirst("id=".utf8.count)) == Array(text.utf8))
        #expect(form.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "#") })
    }

    /// What a server reads; Foundation's own way loses a byte order mark.
    private func decoded(_ form: ArraySlice<UInt8>) -> [UInt8] {
        var rest = form
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    @Test func parametersRepeatInTheirOrder() {
        #expect(FormBody([("id", "a,b"), ("id", "c&d=e")]).bytes == Array("id=a%2Cb&id=c%26d%3De".utf8))
    }
}
