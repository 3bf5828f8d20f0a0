/// A value that is stored in a prepared form, which can be read many times faster than YAML.
///
/// The form consists of lines, each of which holds one part of a value; the parts are written in the order of their
/// declaration. Only the program itself writes this form, so its errors need no positions.
package protocol PreparedValue {
    /// Reads the value as ``write(to:)`` wrote it.
    init(from reader: inout PreparedReader) throws
    func write(to writer: inout PreparedWriter)
}

package struct PreparedWriter {
    package private(set) var text = ""

    package init() {}

    /// Adds values, one after another.
    package mutating func add<each Value: PreparedValue>(_ values: repeat each Value) {
        repeat (each values).write(to: &self)
    }

    fileprivate mutating func add(line: String) {
        // Line breaks within a text are rare; the character that represents them occurs in no text.
        for scalar in line.unicodeScalars { text.unicodeScalars.append(scalar == "\n" ? "\u{1E}" : scalar) }
        text += "\n"
    }
}

package struct PreparedReader {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ text: String) { bytes = Array(text.utf8) }

    package var isAtEnd: Bool { position == bytes.count }

    /// The error for text that was not written by the writer; a test ensures that the built-in text never causes it.
    package var damage: YAMLError {
        let line = bytes[..<position].count { $0 == UInt8(ascii: "\n") } + 1
        let place = Place(line: line, column: 1)
        return YAMLError(.malformed, "the prepared form is damaged; please report this", at: place)
    }

    package mutating func next<Value: PreparedValue>() throws -> Value { try Value(from: &self) }

    fileprivate mutating func line() throws -> ArraySlice<UInt8> {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else { throw damage }
        defer { position = end + 1 }
        return bytes[position..<end]
    }
}

extension String: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        let line = try reader.line()
        let hasLines = line.contains(0x1E)
        self = String(
            decoding: hasLines ? ArraySlice(line.map { $0 == 0x1E ? UInt8(ascii: "\n") : $0 }) : line,
            as: UTF8.self
        )
    }

    package func write(to writer: inout PreparedWriter) { writer.add(line: self) }
}

extension PreparedValue where Self: LosslessStringConvertible {
    package init(from reader: inout PreparedReader) throws {
        guard let value = Self(try String(from: &reader)) else { throw reader.damage }
        self = value
    }

    package func write(to writer: inout PreparedWriter) { writer.add(line: description) }
}

extension PreparedValue where Self: RawRepresentable, RawValue == String {
    package init(from reader: inout PreparedReader) throws {
        guard let value = Self(rawValue: try String(from: &reader)) else { throw reader.damage }
        self = value
    }

    package func write(to writer: inout PreparedWriter) { writer.add(line: rawValue) }
}

extension Int64: PreparedValue {}
extension Double: PreparedValue {}
extension Bool: PreparedValue {}

extension Int: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        var number = 0
        for byte in try reader.line() {
            guard byte &- 0x30 < 10, number < 1 << 32 else { throw reader.damage }
            number = number * 10 + Int(byte &- 0x30)
        }
        self = number
    }
}

extension Optional: PreparedValue where Wrapped: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self = try Int(from: &reader) == 0 ? nil : Wrapped(from: &reader)
    }

    package func write(to writer: inout PreparedWriter) {
        writer.add(self == nil ? 0 : 1)
        if let self { writer.add(self) }
    }
}

extension Array: PreparedValue where Element: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self = []
        for _ in 0..<(try Int(from: &reader)) { append(try Element(from: &reader)) }
    }

    package func write(to writer: inout PreparedWriter) {
        writer.add(count)
        for element in self { writer.add(element) }
    }
}

extension Place: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(line: try reader.next(), column: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(line, column) }
}

extension Located: PreparedValue where Value: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(try reader.next(), at: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(value, place) }
}

extension OneOrMany: PreparedValue where Value: PreparedValue {
    package init(from reader: inout PreparedReader) throws { self.init(try reader.next()) }
    package func write(to writer: inout PreparedWriter) { writer.add(values) }
}

extension YAMLMapping.Entry: PreparedValue where Value: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(key: try reader.next(), value: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(key, value) }
}

extension YAMLMapping: PreparedValue where Value: PreparedValue {
    package init(from reader: inout PreparedReader) throws { self.init(entries: try reader.next()) }
    package func write(to writer: inout PreparedWriter) { writer.add(entries) }
}
