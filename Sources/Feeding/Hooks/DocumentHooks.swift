package import JSONText
import TextKit

/// An action on a document to which hooks apply.
package enum HookVerb: String, Sendable, CaseIterable {
    case read, insert, update, delete
    /// An insert or an update, for a line of a batch that could be either.
    case write

    /// The verbs that can be used in settings.
    package static let named: [HookVerb] = [.read, .insert, .update, .delete]
}

/// The facts about an action besides its document: the user and the request, as values by name.
package struct HookFacts: Sendable {
    /// A value of a user or of a request.
    package enum Value: Sendable, Hashable {
        case text(String)
        case list([String])
    }

    package let collection: String
    /// The facts about the user; `nil` without a user.
    package let user: [String: Value]?
    package let request: [String: Value]

    /// The names of a request's values.
    package static let requestNames = ["address", "id", "method", "path", "time"]

    package init(collection: String, user: [String: Value]?, request: [String: Value]) {
        (self.collection, self.user, self.request) = (collection, user, request)
    }
}

/// A hook's refusal of an action: the action is not performed, and the client receives the message.
package struct HookRefusal: Error, Hashable, Sendable {
    /// The status of the HTTP response.
    package let status: Int
    package let message: String
    /// The invalid field; `nil` if the refusal is not about a particular field.
    package var field: String?

    package init(status: Int = 422, _ message: String, field: String? = nil) {
        (self.status, self.message, self.field) = (status, message, field)
    }
}

/// The failure of a program to return a valid answer; the action is not performed.
package struct HookFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let program: String
    package let reason: String
    /// Whether the program was only busy, so the same request may succeed later.
    package var isBusy = false

    package var description: String { "the program '\(program)' \(reason)" }
}

/// A defect in a string of the settings, with its column, starting at 1, and the reason.
package struct HookDefect: Error, Hashable, Sendable {
    package let column: Int
    package let message: String

    package init(column: Int, message: String) { (self.column, self.message) = (column, message) }
}

// MARK: - Hooks

/// A step that changes or refuses documents, either directly or by calling a program.
package struct DocumentHook: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// Refuses documents in which one of the fields is missing, `null` or an empty string.
        case require([String])
        /// Sets fields that are missing or `null`.
        case fill([Assignment])
        /// Sets fields to values, or removes fields whose value is unknown.
        case set([Assignment])
        case drop([String])
        case refuse(String)
        case program(String)
    }

    /// A field and its value.
    package struct Assignment: Sendable, Hashable {
        package let field: String
        let value: HookOperand

        package init(_ field: String, _ value: HookOperand) { (self.field, self.value) = (field, value) }
    }

    package let verbs: Set<HookVerb>
    package let action: Action
    /// The condition under which the hook applies; `nil` for always.
    package let condition: HookCondition?

    package init(on verbs: Set<HookVerb>, _ action: Action, if condition: HookCondition? = nil) {
        (self.verbs, self.action, self.condition) = (verbs, action, condition)
    }

    /// The program that the hook calls.
    package var program: String? {
        if case .program(let name) = action { name } else { nil }
    }

    /// Whether the result depends on the document.
    fileprivate var needsDocument: Bool { program != nil || condition?.needsDocument ?? false }
}

/// The hooks of a collection, in order.
package struct DocumentHooks: Sendable, Hashable {
    package let all: [DocumentHook]
    private let ofVerbs: [HookVerb: [DocumentHook]]
    /// Whether hooks may treat a new document differently from an existing one.
    package let distinguishesInserts: Bool

    package init(_ hooks: [DocumentHook] = []) {
        all = hooks
        var ofVerbs: [HookVerb: [DocumentHook]] = [:]
        for verb in HookVerb.allCases {
            let verbs: Set<HookVerb> = verb == .write ? [.insert, .update] : [verb]
            let some = hooks.filter { !$0.verbs.isDisjoint(with: verbs) }
            if !some.isEmpty { ofVerbs[verb] = some }
        }
        self.ofVerbs = ofVerbs
        // A program receives the verb, so it may treat new and existing documents differently.
        distinguishesInserts =
            ofVerbs[.insert] != ofVerbs[.update] || ofVerbs[.write]?.contains { $0.program != nil } ?? false
    }

    /// Whether there is a hook for a verb.
    package func apply(to verb: HookVerb) -> Bool { ofVerbs[verb] != nil }

    /// Whether the hooks for a verb depend on the document.
    package func needDocument(for verb: HookVerb) -> Bool {
        ofVerbs[verb]?.contains(where: \.needsDocument) ?? false
    }

    /// Returns the document that results from the hooks for a verb.
    ///
    /// The document is a JSON object; for a deletion, it is the stored document, or `{}` if no hook depends on it.
    ///
    /// Throws a ``HookRefusal`` if a hook refuses the action, or a ``HookFailure`` if a program failed.
    package func applied(
        for verb: HookVerb,
        to json: [UInt8],
        _ facts: HookFacts,
        _ programs: HookPrograms
    ) async throws -> [UInt8] {
        guard let hooks = ofVerbs[verb] else { return json }
        var document = try EditedDocument(json)
        for hook in hooks where hook.condition?.holds(of: document, facts) ?? true {
            guard let name = hook.program else {
                try hook.action.apply(to: &document, facts)
                continue
            }
            let answer = try await programs.call(name, verb, document.bytes, facts)
            if verb != .delete { document = try EditedDocument(answer) }
        }
        return document.bytes
    }

    package static func == (left: Self, right: Self) -> Bool { left.all == right.all }

    package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

extension DocumentHook.Action {
    fileprivate func apply(to document: inout EditedDocument, _ facts: HookFacts) throws(HookRefusal) {
        switch self {
        case .require(let fields):
            for field in fields {
                guard let value = document[field] else {
                    throw HookRefusal("the field '\(field)' is missing", field: field)
                }
                if value.elementsEqual("null".utf8) || value.elementsEqual("\"\"".utf8) {
                    throw HookRefusal("the field '\(field)' is empty", field: field)
                }
            }
        case .fill(let assignments):
            for item in assignments where document[item.field]?.elementsEqual("null".utf8) ?? true {
                if let value = item.value.json(in: document, facts) { document.set(item.field, value) }
            }
        case .set(let assignments):
            for item in assignments {
                if let value = item.value.json(in: document, facts) {
                    document.set(item.field, value)
                } else {
                    document.remove(item.field)
                }
            }
        case .drop(let fields): for field in fields { document.remove(field) }
        case .refuse(let message): throw HookRefusal(message)
        case .program: break
        }
    }
}

// MARK: - Values and conditions

/// A value in a hook, which is a value of the user, the request or the document, or a constant.
package enum HookOperand: Sendable, Hashable {
    case user(String)
    case request(String)
    case document(String)
    /// A constant, as JSON.
    case constant([UInt8])

    /// Reads `user.NAME`, `request.NAME`, `document.NAME` or `'TEXT'`; any other text is a constant.
    package init(_ text: String) throws(HookDefect) {
        var scanner = ConditionScanner(text)
        if ["user.", "request.", "document.", "'"].contains(where: text.hasPrefix) {
            self = try scanner.operand()
            guard scanner.isAtEnd else { throw scanner.defect("nothing may follow the value") }
        } else {
            self = .text(text)
        }
    }

    static func text(_ text: String) -> HookOperand {
        var json: [UInt8] = []
        json.append(jsonString: text.utf8.span)
        return .constant(json)
    }

    /// Returns the value as JSON; `nil` if it is unknown.
    fileprivate func json(in document: EditedDocument, _ facts: HookFacts) -> ArraySlice<UInt8>? {
        switch self {
        case .user(let name): facts.user?[name].map { $0.json[...] }
        case .request(let name): facts.request[name].map { $0.json[...] }
        case .document(let field): document[field]
        case .constant(let json): json[...]
        }
    }

    /// Returns the strings, at least one of which must match: the elements of a list, or the text of a string, number or
    /// Boolean.
    fileprivate func texts(in document: EditedDocument, _ facts: HookFacts) -> [String] {
        switch self {
        case .user(let name): facts.user?[name]?.texts ?? []
        case .request(let name): facts.request[name]?.texts ?? []
        case .document(let field): document[field].map(Self.texts) ?? []
        case .constant(let json): Self.texts(of: json[...])
        }
    }

    private static func texts(of json: ArraySlice<UInt8>) -> [String] {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(Array(json)) } catch { return [] }
        return value.elements.isEmpty ? text(of: value).map { [$0] } ?? [] : value.elements.compactMap(text)
    }

    private static func text(of value: JSONValue) -> String? {
        switch value {
        case .string(let text), .number(let text): text
        case .bool(let value): value ? "true" : "false"
        case .object, .array, .null: nil
        }
    }
}

extension HookFacts.Value {
    fileprivate var texts: [String] {
        switch self {
        case .text(let text): [text]
        case .list(let texts): texts
        }
    }

    fileprivate var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.takeBytes()
    }

    /// Writes the value as JSON.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .text(let text): writer.value(text)
        case .list(let texts): writer.value(texts)
        }
    }
}

/// A condition made of comparisons that must all hold: `document.status == 'locked' && user.role != 'admin'`.
package struct HookCondition: Sendable, Hashable {
    private struct Comparison: Hashable {
        let left: HookOperand
        let right: HookOperand
        let isEqual: Bool
    }

    private var comparisons: [Comparison] = []
    /// The condition as written.
    package let text: String

    /// Reads a condition.
    package init(_ text: String) throws(HookDefect) {
        self.text = text
        var scanner = ConditionScanner(text)
        while true {
            let left = try scanner.operand()
            let isEqual = try scanner.takesEquality()
            comparisons.append(Comparison(left: left, right: try scanner.operand(), isEqual: isEqual))
            if scanner.isAtEnd { return }
            guard scanner.take("&&") else { throw scanner.defect("'&&' is expected here") }
        }
    }

    fileprivate var needsDocument: Bool {
        comparisons.contains { comparison in
            [comparison.left, comparison.right].contains { if case .document = $0 { true } else { false } }
        }
    }

    fileprivate func holds(of document: EditedDocument, _ facts: HookFacts) -> Bool {
        comparisons.allSatisfy { comparison in
            let right = comparison.right.texts(in: document, facts)
            let isFound = comparison.left.texts(in: document, facts).contains { left in
                right.contains { $0.utf8.elementsEqual(left.utf8) }
            }
            return isFound == comparison.isEqual
        }
    }
}

/// A reader of the words of a rule or a condition: names, quoted strings, and operators.
package struct ConditionScanner {
    private let text: [Character]
    private var index = 0

    package init(_ text: String) { self.text = Array(text) }

    package var isAtEnd: Bool {
        mutating get {
            skipBlanks()
            return index == text.count
        }
    }

    /// The current column, starting at 1.
    package var column: Int { index + 1 }

    package func defect(_ message: String) -> HookDefect { HookDefect(column: column, message: message) }

    /// Reads a word if it comes next, and returns whether it did.
    package mutating func take(_ word: String) -> Bool {
        skipBlanks()
        guard text[index...].starts(with: word) else { return false }
        index += word.count
        return true
    }

    /// Reads a quoted string; returns `nil` if none comes next.
    package mutating func quoted() throws(HookDefect) -> String? {
        guard take("'") else { return nil }
        guard let end = text[index...].firstIndex(of: "'") else {
            throw HookDefect(column: index, message: "the quote is not closed")
        }
        defer { index = end + 1 }
        return String(text[index..<end])
    }

    package mutating func name() throws(HookDefect) -> String {
        let start = index
        while index < text.count, text[index].isASCII,
            text[index].isLetter || text[index].isNumber || text[index] == "_" || text[index] == "-"
        {
            index += 1
        }
        guard index > start else { throw defect("a name is expected here") }
        return String(text[start..<index])
    }

    private mutating func skipBlanks() {
        while index < text.count, text[index] == " " { index += 1 }
    }
}

extension ConditionScanner {
    fileprivate mutating func takesEquality() throws(HookDefect) -> Bool {
        if take("==") { return true }
        guard take("!=") else { throw defect("'==' or '!=' is expected here") }
        return false
    }

    fileprivate mutating func operand() throws(HookDefect) -> HookOperand {
        if let text = try quoted() { return .text(text) }
        if take("user.") { return .user(try name()) }
        if take("document.") { return .document(try name()) }
        if take("request.") {
            let start = column
            let name = try name()
            guard HookFacts.requestNames.contains(name) else {
                let names = HookFacts.requestNames.map { "request.\($0)" }.joined(separator: ", ")
                throw HookDefect(column: start, message: "a request has no '\(name)'; use one of \(names)")
            }
            return .request(name)
        }
        throw defect("user.NAME, request.NAME, document.NAME or 'TEXT' is expected here")
    }
}

// MARK: - Editing

/// A document whose top-level members are parsed once, and can then be changed without parsing the document again.
///
/// Unchanged values, and an unchanged document as a whole, keep their bytes.
private struct EditedDocument {
    private struct Member {
        let key: String
        /// The key with its quotes, as written.
        let written: ArraySlice<UInt8>
        var value: ArraySlice<UInt8>
    }

    private let json: [UInt8]
    private var members: [Member]
    private var isChanged = false

    init(_ json: [UInt8]) throws(JSONError) {
        self.json = json
        members = try JSONMembers(of: json.span).all.map { member in
            Member(key: member.key, written: json[member.keyRange], value: json[member.value])
        }
    }

    /// The value of a member, as JSON; if several members have the same key, the value of the last one.
    subscript(key: String) -> ArraySlice<UInt8>? { members.last { $0.key.isSame(as: key) }?.value }

    mutating func set(_ key: String, _ value: ArraySlice<UInt8>) {
        guard let place = members.firstIndex(where: { $0.key.isSame(as: key) }) else {
            var written: [UInt8] = []
            written.append(jsonString: key.utf8.span)
            members.append(Member(key: key, written: written[...], value: value))
            isChanged = true
            return
        }
        let count = members.count
        members.removeSubrange(place + 1..<count, where: { $0.key.isSame(as: key) })
        guard members.count != count || members[place].value != value else { return }
        members[place].value = value
        isChanged = true
    }

    mutating func remove(_ key: String) {
        let count = members.count
        members.removeAll { $0.key.isSame(as: key) }
        if members.count != count { isChanged = true }
    }

    /// The document with the changes made so far.
    var bytes: [UInt8] {
        guard isChanged else { return json }
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        bytes.reserveCapacity(members.reduce(2) { $0 + $1.written.count + $1.value.count + 2 })
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += member.written
            bytes.append(UInt8(ascii: ":"))
            bytes += member.value
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

extension Array {
    /// Removes the elements of a range that satisfy a condition.
    fileprivate mutating func removeSubrange(_ range: Range<Int>, where isRemoved: (Element) -> Bool) {
        for index in range.reversed() where isRemoved(self[index]) { remove(at: index) }
    }
}

extension String {
    /// Whether two keys have the same bytes, as engines compare them.
    fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
