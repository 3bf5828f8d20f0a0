import Foundation
import JSONText
import TestSupport
import Testing

/// Damaged JSON is either refused with a position in the text, or is a value that stays the same when it is written and
/// read back.
struct JSONFuzzTests {
    private static let texts = [
        #"{"id":"a\u00e9\ud83d\ude00é","n":[1,-2.5e+10,true,false,null,{}],"o":{"x":"\\\"\/"},"u":"日本"}"#,
        #"[[[[[[[[]]]]]]],{"a":{"b":{"c":[0,0.0,-0,1e5,1E-5,123456789012345678901234567890]}}}]"#,
        #"{"$inc":{"count":1},"list":{"$addToSet":["x","y"]},"keys":{"":"","\u0000":"\u001f","a":"b","a":"c"}}"#,
    ].map { Array($0.utf8) }

    @Test func `Damaged JSON is either refused at a position, or keeps its value when rewritten`() {
        let problem = FuzzRun.problem("JSON", few: 2_000) { seed in
            var mutation = ByteMutation(seed: seed)
            return Self.problem(mutation.mutated(Self.texts, maximumBytes: 400))
        }
        #expect(problem == nil)
    }

    /// The control: the comparison detects a value that changes.
    @Test func `A value that changes when it is rewritten is detected`() {
        #expect(Self.problem(Array("[1]".utf8)) == nil)
        #expect(Self.problem(Array("[1]".utf8), writtenAs: Array("[2]".utf8))?.hasPrefix("another value") == true)
        #expect(Self.problem(Array("[1]".utf8), writtenAs: Array("[1".utf8))?.hasPrefix("can't be read") == true)
    }

    private static func problem(_ bytes: [UInt8], writtenAs text: [UInt8]? = nil) -> String? {
        let value: JSONValue
        do {
            value = try JSONValue(bytes)
        } catch {
            return (0...bytes.count).contains(error.offset) && !error.message.isEmpty ? nil : "refused with \(error)"
        }
        var writer = JSONWriter()
        write(value, to: &writer)
        let written = text ?? writer.takeBytes()
        do {
            let again = try JSONValue(written)
            guard again == value else { return "another value: \(String(decoding: written, as: UTF8.self))" }
        } catch {
            return "can't be read: \(error)"
        }
        // Another parser agrees that it is JSON, except for numbers that it can't represent.
        let isForeign = (try? JSONSerialization.jsonObject(with: Data(written), options: .fragmentsAllowed)) != nil
        return isForeign || written.contains(UInt8(ascii: "e")) || written.contains(UInt8(ascii: "E"))
            ? nil : "another parser refuses \(String(decoding: written, as: UTF8.self))"
    }

    private static func write(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value {
        case .object(let members):
            writer.object { writer in
                for member in members {
                    writer.key(member.key)
                    write(member.value, to: &writer)
                }
            }
        case .array(let elements):
            writer.array { writer in
                for element in elements { write(element, to: &writer) }
            }
        case .string(let text): writer.value(text)
        case .number(let text): writer.raw(Array(text.utf8))
        case .bool(let value): writer.value(value)
        case .null: writer.null()
        }
    }
}
