/// The lines of a data file in sections, as those of `Rules/Components` and `Rules/Activities` are.
///
/// ```
/// # A comment.
/// @pools = What a check finds out :: Get-SPServiceApplicationPool
///
/// [id] A heading
/// key: value
/// check: What another check finds out :: Get-SPServiceInstance
/// check: @pools
/// ```
struct SectionLines {
    /// A line, and what it says; `nil` if it says nothing.
    private struct Line {
        var text: Substring
        var content: Content?
    }

    enum Content {
        case heading(id: String, name: String)
        case member(key: Substring, value: Substring)
        case check(Check)
    }

    /// Bytes, because it is read when the first failure is explained, and somebody waits.
    private var rest: Substring.UTF8View
    private var shared: [Substring: Check] = [:]

    private init(_ text: String) { rest = text[...].utf8 }

    /// Reads a text line by line, and returns the lines that say nothing, or nothing that `take` understands.
    static func unread(in text: String, _ take: (Content) -> Bool) -> [Substring] {
        var lines = Self(text)
        var unread: [Substring] = []
        while let line = lines.next() {
            if !(line.content.map(take) ?? false) { unread.append(line.text) }
        }
        return unread
    }

    /// Returns the next line that is neither empty, nor a comment, nor the definition of a check.
    private mutating func next() -> Line? {
        while let first = rest.first {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            if line.isEmpty || first == UInt8(ascii: "#") { continue }
            let text = Substring(line)
            if first == UInt8(ascii: "@"), define(text.dropFirst()) { continue }
            return Line(text: text, content: content(of: text))
        }
        return nil
    }

    private mutating func define(_ line: Substring) -> Bool {
        guard let (name, value) = line.parts(around: " = "), let check = check(value) else { return false }
        shared[name] = check
        return true
    }

    private func content(of line: Substring) -> Content? {
        if line.hasPrefix("[") {
            return line.dropFirst().parts(around: "] ").map { .heading(id: String($0), name: String($1)) }
        }
        guard let (key, value) = line.parts(around: ": ") else { return nil }
        guard key == "check" else { return .member(key: key, value: value) }
        return (value.hasPrefix("@") ? shared[value.dropFirst()] : check(value)).map { .check($0) }
    }

    private func check(_ text: Substring) -> Check? {
        if let (words, command) = text.parts(around: " :: ") { return Check(String(words), command: String(command)) }
        // A check without a command is a sentence.
        return text.hasSuffix(".") ? Check(String(text)) : nil
    }
}

extension Substring {
    /// Returns what stands before and after the first occurrence of a separator.
    func parts(around separator: StaticString) -> (Substring, Substring)? {
        let length = separator.utf8CodeUnitCount
        var start = startIndex
        while start < endIndex, let end = utf8.index(start, offsetBy: length, limitedBy: endIndex) {
            let isFound = separator.withUTF8Buffer { utf8[start..<end].elementsEqual($0) }
            if isFound { return (self[..<start], self[end...]) }
            start = utf8.index(after: start)
        }
        return nil
    }

    func items(_ separator: UInt8) -> [String] {
        utf8.split(separator: separator).map { String(Substring($0.drop { $0 == UInt8(ascii: " ") })) }
    }
}
