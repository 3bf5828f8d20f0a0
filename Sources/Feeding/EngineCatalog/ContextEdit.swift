public import ContentFeeding
import YAML

/// A change to the user's settings file that leaves every other line as it is, including comments.
///
/// The text is changed line by line, then read again: a result that does not say exactly what was wanted is refused, so
/// that a file in an unusual form is never damaged.
public struct ContextEdit: Sendable {
    let file: ContextFile
    var lines: [String]

    /// Starts with a file, or with none.
    public init(_ file: ContextFile?, path: String) throws(EngineError) {
        if let file {
            self.file = file
        } else {
            self.file = try ContextFile(path: path, owner: .user, text: "")
        }
        // Split by bytes: as characters, a carriage return and the line feed after it are one.
        lines = self.file.text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        // The empty text after the last newline is not a line.
        if lines.last == "" { lines.removeLast() }
    }

    private static let head = [
        "# Contexts of fastctl: named targets. Only the locations of credentials are kept here."
    ]

    /// Adds a context at the end; the first one becomes the current one.
    public func adding(
        _ name: String,
        _ settings: [Setting],
        collections: [(name: String, engineName: String)] = []
    ) throws(EngineError) -> String {
        try ContextName.check(name)
        if let entry = entry(name) {
            throw EngineError(
                .collectionExists,
                "\(file.path):\(entry.key.place.line): the context '\(name)' already exists",
                advice: "remove it first: fastctl contexts remove \(name)"
            )
        }
        var copy = self
        if copy.lines.isEmpty { copy.lines = Self.head }
        let makesCurrent = file.current == nil && file.names.isEmpty
        let place = copy.placeForEntry(after: file.contexts.last?.key.place, in: "contexts")
        let block = copy.block(name, settings, collections, indentation: place.indentation)
        copy.lines.insert(contentsOf: block, at: place.line)
        if makesCurrent { copy.setCurrent(name) }
        return try copy.checked { document in
            guard let entry = document.contexts.first(where: { $0.key.value == name })?.value else { return false }
            let expected = settings.filter { $0.key != .protected }.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
            let marks = ["\(settings.contains { $0.key == .protected && $0.value == "true" })"]
            let mappings = collections.map { "\($0.name)>\($0.engineName)" }
            return entry.meaning == expected + mappings + marks && document.hasOthers(of: file, except: name)
                && document.current == (makesCurrent ? name : file.current)
        }
    }

    /// Makes a context the current one.
    public func using(_ name: String) throws(EngineError) -> String {
        var copy = self
        copy.setCurrent(name)
        return try copy.checked { $0.hasOthers(of: file, except: nil) && $0.current == name }
    }

    /// Removes a context; if it is the current one, there is no current one afterward.
    public func removing(_ name: String) throws(EngineError) -> String {
        guard let entry = entry(name) else {
            throw EngineError(
                .missingTarget,
                "\(file.path) has no context '\(name)'",
                advice: "list the contexts: fastctl contexts list"
            )
        }
        var copy = self
        copy.lines.removeSubrange(copy.block(from: entry.key.place))
        let isLast = file.names.count == 1
        if isLast, let line = copy.line(ofKey: "contexts") { copy.lines.remove(at: line) }
        if file.current == name, let line = copy.line(ofKey: "current") { copy.lines.remove(at: line) }
        return try copy.checked { document in
            document.hasOthers(of: file, except: name) && !document.names.contains(name)
                && document.current == (file.current == name ? nil : file.current)
        }
    }

    private func entry(_ name: String) -> YAMLMapping<ContextEntry>.Entry? {
        file.contexts.first { $0.key.value == name }
    }

    /// Returns the changed text, if it is read as what was wanted.
    func checked(_ isAsWanted: (ContextFile) -> Bool) throws(EngineError) -> String {
        let text = lines.map { $0 + "\n" }.joined()
        guard let changed = try? ContextFile(path: file.path, owner: .user, text: text), isAsWanted(changed) else {
            throw EngineError(
                .unsupported,
                "'\(file.path)' is written in a form that this command cannot change safely; it was left unchanged",
                advice: "edit it by hand: each setting on its own line, without { and }"
            )
        }
        return text
    }
}

// Lines.
extension ContextEdit {
    /// Returns the line of a key at the margin.
    func line(ofKey key: String) -> Int? { lines.firstIndex { $0.hasPrefix(key + ":") } }

    private mutating func setCurrent(_ name: String) {
        let text = "current: " + YAMLText.scalar(name)
        if let line = line(ofKey: "current") {
            lines[line] = text + lines[line].comment
        } else {
            let first = lines.firstIndex { !$0.isBlankOrComment } ?? lines.endIndex
            lines.insert(text, at: first)
        }
    }

    /// Returns the place for a new entry of a section: after the last one, with the same indentation.
    mutating func placeForEntry(after last: Place?, in section: String) -> (line: Int, indentation: Int) {
        if let last { return (block(from: last).upperBound, last.column - 1) }
        if let line = line(ofKey: section) {
            lines[line] = section + ":" + lines[line].comment
            return (line + 1, 2)
        }
        lines.append(section + ":")
        return (lines.endIndex, 2)
    }

    /// Returns the lines of a mapping's entry, without blank lines and comments after it.
    func block(from place: Place) -> Range<Int> {
        let start = min(place.line - 1, lines.endIndex)
        var end = min(start + 1, lines.endIndex)
        for index in lines.indices.dropFirst(start + 1) where !lines[index].isBlankOrComment {
            guard lines[index].indentation >= place.column else { break }
            end = index + 1
        }
        return start..<end
    }

    private func block(
        _ name: String,
        _ settings: [Setting],
        _ collections: [(name: String, engineName: String)],
        indentation: Int
    ) -> [String] {
        let margin = String(repeating: " ", count: indentation)
        var block = [margin + YAMLText.scalar(name) + ":"]
        for key in ContextKey.allCases {
            if key == .collections, !collections.isEmpty {
                block.append(margin + "  collections:")
                block += collections.map {
                    margin + "    \(YAMLText.scalar($0.name)): \(YAMLText.scalar($0.engineName))"
                }
            }
            guard let value = settings.first(where: { $0.key == key })?.value else { continue }
            block.append("\(margin)  \(key.rawValue): \(key == .protected ? value : YAMLText.scalar(value))")
        }
        return block
    }
}

extension ContextFile {
    /// Returns whether the file has the same contexts and profiles as `other`, apart from one.
    func hasOthers(of other: ContextFile, except name: String? = nil, exceptProfile profile: String? = nil) -> Bool {
        func meanings(_ file: ContextFile) -> [[String]] {
            file.contexts.filter { $0.key.value != name }.map { [$0.key.value] + $0.value.meaning }
                + file.profiles.filter { $0.key.value != profile }.map { [$0.key.value] + $0.value.meaning }
        }
        return meanings(self) == meanings(other)
    }
}

extension String {
    /// The comment, from the space before a `#` to the end.
    fileprivate var comment: Substring {
        utf8.firstRange(of: " #".utf8).map { self[$0.lowerBound...] } ?? ""
    }

    fileprivate var indentation: Int { prefix { $0 == " " }.count }

    fileprivate var isBlankOrComment: Bool { drop(while: \.isWhitespace).first.map { $0 == "#" } ?? true }
}

/// Text as YAML reads it back.
enum YAMLText {
    /// Returns a scalar on one line: plain if that is safe, otherwise in double quotes.
    static func scalar(_ text: String) -> String { isPlain(text) ? text : text.yamlQuoted }

    /// Words that YAML also reads as null or as a truth value.
    private static let reserved: Set<String> = ["null", "true", "false", "yes", "no", "on", "off"]

    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last, last != UInt8(ascii: ":") else { return false }
        return (isWord(first) || first == UInt8(ascii: "/")) && !reserved.contains(text.lowercased())
            && text.utf8.allSatisfy { isWord($0) || "/:+.-_@,=".utf8.contains($0) }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
