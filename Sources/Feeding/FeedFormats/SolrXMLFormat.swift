import ContentFeeding
import JSONText
import TextKit
import XMLStream

/// Messages for Solr's update handler: `<delete>` with IDs, `<add>` with documents, or both in an `<update>`.
///
/// The message is split into elements as it arrives, and each element is parsed on its own: a message can have any
/// length, and a malformed element does not affect the others. Anything that cannot be carried out (queries, commits,
/// attributes) is rejected with its line; nothing is skipped silently.
struct SolrXMLFormat: RecordFormat {
    let kind: ContentOperation.Kind
    /// The name of the field that holds a document's ID.
    let field: String
    let limits: InputLimits
    private var tokens = XMLTokens()
    private var message = SolrMessage()
    /// The piece that has just ended.
    private var piece: SolrMessage.Piece?
    /// Whether the first element was an expected one.
    private var hasBegun = false
    private var isLost = false
    private var refusal: String?
    private let ids = DocumentIDPages()

    init(kind: ContentOperation.Kind, field: String, limits: InputLimits) {
        self.kind = kind
        self.field = field
        self.limits = limits
    }

    var maximumRecordBytes: Int { kind == .remove ? limits.line : limits.documentLine }
    var tooLong: String { "an element longer than \(maximumRecordBytes) bytes; check that every element is closed" }
    var dropsCarriageReturn: Bool { false }
    var holdsLineEnds: Bool { true }
    var endByteCount: Int { 0 }
    var isChangedByRecords: Bool { true }
    var isReady: Bool { hasBegun || isLost }

    var unfinished: String? {
        guard !isLost else { return nil }
        if let end = message.missingEnd { return "the input ends before \(end); was it cut off?" }
        if tokens.isUnfinished { return "the input ends inside a tag or a comment; was it cut off?" }
        return tokens.isInText ? "text after the end of the message; remove it" : nil
    }

    func refusal(source: String) -> InputError? {
        refusal.map { InputError(.wrongFormat, source: source, reason: $0) }
    }

    mutating func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        guard !isLost else { return nil }
        var offset = start
        while let (token, end) = tokens.next(in: bytes, from: offset) {
            offset = end
            piece = message.piece(endedBy: token, name: tokens.name)
            if piece != nil { return end }
        }
        // Input that begins with text is not XML, so the rest need not be read.
        guard !message.hasRoot, tokens.isInText else { return nil }
        piece = .lost("does not begin with <add>, <delete> or <update>")
        return bytes.count
    }

    mutating func readingOfTooLong() -> RecordReading {
        defer { piece = nil }
        if case .lost(let reason) = piece { return lose(reason) }
        return isLost ? .structure : .rejected(tooLong)
    }

    mutating func reading(_ record: Span<UInt8>) -> RecordReading {
        defer { piece = nil }
        switch piece {
        case .aside: return aside(record)
        case .text: return .rejected("text where an element is expected; remove it")
        case .lost(let reason): return lose(reason)
        // The unread rest, and whitespace at the end.
        case nil: return .structure
        case .opening(let container):
            if !hasBegun, let refusal = refusal(of: container) { return lose(refusal) }
            hasBegun = true
            return reading { () throws(RejectedRecord) in
                try SolrElement.checkOpening(record)
                return .structure
            }
        case .record(let name, let container):
            return reading { () throws(RejectedRecord) in
                .operation(try operation(record, String(decoding: name, as: UTF8.self), in: container))
            }
        }
    }

    private func reading(_ body: () throws(RejectedRecord) -> RecordReading) -> RecordReading {
        do throws(RejectedRecord) {
            return try body()
        } catch {
            return .rejected(error.reason)
        }
    }

    private func operation(
        _ record: Span<UInt8>,
        _ name: String,
        in container: SolrMessage.Container
    ) throws(RejectedRecord) -> ContentOperation {
        switch (container, name) {
        case (.delete, "id"):
            guard kind == .remove else { throw RejectedRecord("an ID to remove: use 'fastctl remove'") }
            return .remove(try SolrElement.id(record, limits: limits, from: ids))
        case (.delete, "query"): throw RejectedRecord(SolrElement.queryRefusal)
        case (.add, "doc"):
            guard kind != .remove else { throw RejectedRecord("a document to add: use 'fastctl add'") }
            let document = try SolrDocument(record, isUpdate: kind == .update, limits: limits)
            let operation = try document.document(idField: field, limits: limits, from: ids)
            return kind == .update ? .update(operation) : .add(operation)
        default:
            throw RejectedRecord("<\(name)> in <\(container.rawValue)> is not supported; remove it")
        }
    }

    /// Returns why nothing in a message can be carried out; in an `<update>`, each element is examined.
    private func refusal(of container: SolrMessage.Container) -> String? {
        switch container {
        case .add where kind == .remove: "an <add> message; use 'fastctl add' for it"
        case .delete where kind != .remove: "a <delete> message; use 'fastctl remove' for it"
        default: nil
        }
    }

    private mutating func aside(_ record: Span<UInt8>) -> RecordReading {
        guard !hasBegun, let encoding = SolrElement.foreignEncoding(declaredBy: record) else { return .structure }
        return lose("is encoded in \(encoding); convert it first, for example with iconv -t UTF-8")
    }

    /// Stops reading: rejects the whole source if the first element has not been read yet, otherwise the rest.
    private mutating func lose(_ reason: String) -> RecordReading {
        isLost = true
        guard !hasBegun else { return .rejected("\(reason); the rest is not read") }
        refusal = reason
        return .structure
    }
}

/// The state of a Solr message: which elements are open, and when a record is complete.
private struct SolrMessage {
    /// An element that contains others.
    enum Container: String, Hashable {
        case update, add, delete
    }

    /// A part of the message that is passed to the reader as a unit.
    enum Piece: Hashable {
        /// Whitespace, comments, processing instructions, or the end of a container.
        case aside
        /// The start tag of a container.
        case opening(Container)
        /// A complete element in a container.
        case record(name: [UInt8], in: Container)
        /// Text where there should be an element.
        case text
        /// A reason why the rest cannot be read.
        case lost(String)
    }

    private(set) var open: [Container] = []
    /// Whether the first element has been seen.
    private(set) var hasRoot = false
    /// The element being read, and the number of open elements with that name.
    private var record: (name: [UInt8], nesting: Int)?

    /// The end tag that is still missing from the message.
    var missingEnd: String? {
        if let record { return "</\(Self.text(record.name))>" }
        return open.last.map { "</\($0.rawValue)>" }
    }

    /// Returns the piece that ends with a token; `nil` within a piece.
    ///
    /// An element extends to its own end tag, regardless of defects within it.
    mutating func piece(endedBy token: XMLTokens.Token, name: [UInt8]) -> Piece? {
        guard record == nil else { return pieceOfRecord(endedBy: token, name: name) }
        switch token {
        case .aside, .text(isBlank: true): return .aside
        case .text, .characterData: return open.isEmpty ? .lost("text after the end of the message") : .text
        case .broken: return .lost("not well-formed: markup that is not XML, or a DOCTYPE, which is not supported")
        case .startTag(let isClosed): return start(name, isClosed: isClosed)
        case .endTag:
            guard let last = open.last, name.elementsEqual(last.rawValue.utf8) else {
                return .lost("not well-formed: </\(Self.text(name))> closes an element that is not open")
            }
            open.removeLast()
            return .aside
        }
    }

    private mutating func start(_ name: [UInt8], isClosed: Bool) -> Piece? {
        let container = Container(rawValue: String(decoding: name, as: UTF8.self))
        guard let last = open.last else {
            guard !hasRoot else { return .lost("not well-formed: <\(Self.text(name))> after the end of the message") }
            hasRoot = true
            guard let container else {
                return .lost("begins with <\(Self.text(name))>, not <add>, <delete> or <update>")
            }
            if !isClosed { open.append(container) }
            return .opening(container)
        }
        if last == .update, let container, container != .update {
            if !isClosed { open.append(container) }
            return .opening(container)
        }
        if isClosed { return .record(name: name, in: last) }
        record = (name, 1)
        return nil
    }

    private mutating func pieceOfRecord(endedBy token: XMLTokens.Token, name: [UInt8]) -> Piece? {
        guard var record, let container = open.last else { return nil }
        switch token {
        case .startTag(isClosed: false) where name == record.name: record.nesting += 1
        case .endTag where name == record.name: record.nesting -= 1
        case .endTag where name.elementsEqual(container.rawValue.utf8):
            // The end tag of the record is missing; text after the end of the container is not part of the record.
            open.removeLast()
            record.nesting = 0
        default: return nil
        }
        self.record = record.nesting > 0 ? record : nil
        return record.nesting > 0 ? nil : .record(name: record.name, in: container)
    }

    private static func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }
}

/// The content of one element of a Solr message.
enum SolrElement {
    fileprivate static let queryRefusal =
        "a query, but documents can be removed only by ID; use 'fastctl find … -o name | fastctl remove'"

    /// Returns the ID in an `<id>`, including whitespace.
    static func id(
        _ element: Span<UInt8>,
        limits: InputLimits,
        from ids: DocumentIDPages
    ) throws(RejectedRecord) -> DocumentID {
        if let plain = plainText(of: element) {
            return try ids.id(record: element.extracting(plain), limit: limits.id)
        }
        var reader = try ElementReader(element, limits: limits)
        guard case .startElement(let name, let attributes) = try reader.next() else { throw ElementReader.unexpected }
        try refuse(attributes, of: name)
        return try ids.id(record: reader.text(in: name).utf8.span, limit: limits.id)
    }

    /// Refuses attributes in the start tag of a container.
    fileprivate static func checkOpening(_ tag: Span<UInt8>) throws(RejectedRecord) {
        var bytes: [UInt8] = []
        bytes.append(copying: tag.extracting(0..<tag.count - 1))
        if bytes.last != UInt8(ascii: "/") { bytes.append(UInt8(ascii: "/")) }
        bytes.append(UInt8(ascii: ">"))
        var reader = try ElementReader(bytes.span, limits: InputLimits())
        guard case .startElement(let name, let attributes) = try reader.next() else { throw ElementReader.unexpected }
        try refuse(attributes, of: name)
    }

    /// Refuses every attribute, because attributes change Solr's behavior and must not be ignored.
    static func refuse(_ attributes: some Sequence<XMLReader.Attribute>, of name: String) throws(RejectedRecord) {
        for attribute in attributes {
            throw RejectedRecord("the attribute '\(attribute.name)' of <\(name)> is not supported; remove it")
        }
    }

    /// Returns the encoding that an XML declaration names, unless it is one of `readEncodings`.
    fileprivate static func foreignEncoding(declaredBy aside: Span<UInt8>) -> String? {
        guard aside.count <= maximumDeclaration else { return nil }
        let words = aside.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.split {
            "\"'= \t\r\n".contains($0)
        }
        guard words.first == "<?xml", let name = words.firstIndex(of: "encoding"), name + 1 < words.endIndex else {
            return nil
        }
        let encoding = words[name + 1]
        return readEncodings.contains(encoding.lowercased()) ? nil : String(encoding.prefix(40))
    }

    /// Encodings that are read; UTF-16 has already been converted to UTF-8.
    private static let readEncodings = ["utf-8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be"]
    /// The longest XML declaration, in bytes; typical declarations have 40.
    private static let maximumDeclaration = 512

    /// Returns the text of `<id>…</id>` if it contains no markup or references; this fast path nearly always applies.
    private static func plainText(of element: Span<UInt8>) -> Range<Int>? {
        let (start, end): (StaticString, StaticString) = ("<id>", "</id>")
        let (lower, upper) = (start.utf8CodeUnitCount, element.count - end.utf8CodeUnitCount)
        guard lower <= upper, element.has(start, at: 0), element.has(end, at: upper) else { return nil }
        for index in lower..<upper {
            switch element[index] {
            // Markup and references; `]` may end character data, and 0xEF may begin a character that XML does not
            // allow.
            case UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "]"), 0xEF: return nil
            case 0x09, 0x0A, 0x20...: break
            default: return nil
            }
        }
        return lower..<upper
    }
}

extension Span<UInt8> {
    fileprivate func has(_ text: StaticString, at start: Int) -> Bool {
        for index in 0..<text.utf8CodeUnitCount where self[start + index] != text.utf8Start[index] { return false }
        return true
    }
}

/// A `<doc>` of a Solr message: fields and their values, which are strings.
struct SolrDocument {
    private var names: [String] = []
    /// The values of each field; empty if an update removes the field.
    private var values: [[String]] = []
    /// The index of each name, by its bytes, because Solr and JSON compare names as bytes.
    private var places: [[UInt8]: Int] = [:]

    /// Reads a document; in an update, a field may have the attribute `update="set"`, which is the default.
    init(_ element: Span<UInt8>, isUpdate: Bool, limits: InputLimits) throws(RejectedRecord) {
        var reader = try ElementReader(element, limits: limits)
        guard case .startElement(let name, let attributes) = try reader.next() else { throw ElementReader.unexpected }
        try SolrElement.refuse(attributes, of: name)
        while let event = try reader.next() {
            switch event {
            case .startElement("field", let attributes):
                let field = try SolrField(attributes, isUpdate: isUpdate)
                add(try reader.text(in: "field"), to: field)
            case .startElement("doc", _):
                throw RejectedRecord("a document inside a document; write each one separately")
            case .startElement(let name, _):
                throw RejectedRecord("<\(name)> in <doc>, where only <field> is allowed")
            case .text(let text):
                guard text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else {
                    throw RejectedRecord("text between fields; put it in a <field>")
                }
            case .endElement: break
            }
        }
    }

    private mutating func add(_ value: String, to field: SolrField) {
        let key = Array(field.name.utf8)
        let place = places[key] ?? names.count
        if place == names.count {
            places[key] = place
            names.append(field.name)
            values.append([])
        }
        if !field.isNull { values[place].append(value) }
    }

    /// Returns the document as JSON; a field given more than once is an array.
    func document(
        idField: String,
        limits: InputLimits,
        from ids: DocumentIDPages
    ) throws(RejectedRecord) -> Document {
        guard let place = places[Array(idField.utf8)] else {
            throw RejectedRecord("has no field '\(idField)' for the ID; add it, or name another with --id-field")
        }
        guard values[place].count == 1 else {
            throw RejectedRecord("has \(values[place].count) values in '\(idField)'; keep the one that is the ID")
        }
        let id = try ids.id(record: values[place][0].utf8.span, limit: limits.id)
        let json = JSONWriter.object { writer in
            for (name, values) in zip(names, values) {
                writer.key(name)
                switch values.count {
                case 0: writer.null()
                case 1: writer.value(values[0])
                default: writer.value(values)
                }
            }
        }
        guard json.count <= limits.document else { throw RejectedRecord(Document.tooLong(limits.document)) }
        return Document(id: id, json: json)
    }
}

/// The attributes of a `<field>` start tag.
private struct SolrField {
    var name = ""
    /// Whether an update removes the field.
    var isNull = false

    init(_ attributes: [XMLReader.Attribute], isUpdate: Bool) throws(RejectedRecord) {
        for attribute in attributes {
            switch (attribute.name, attribute.value) {
            case ("name", let name): self.name = name
            case ("update", "set") where isUpdate: break
            case ("update", let change) where isUpdate:
                throw RejectedRecord("update=\"\(change)\" on a field: an update can only set fields")
            case ("update", _): throw RejectedRecord("a change to a document: use 'fastctl update'")
            case ("null", "true") where isUpdate: isNull = true
            default: try SolrElement.refuse([attribute], of: "field")
            }
        }
        guard !name.isEmpty else { throw RejectedRecord("a <field> without a name; add name=\"…\"") }
    }
}

/// A parser of one element of a message; errors name lines within that element.
struct ElementReader: ~Copyable {
    private var reader: XMLReader

    static let unexpected = RejectedRecord("has unexpected content; check the format")

    /// The deepest nesting of elements: a document contains fields, and fields contain no elements.
    private static let maximumDepth = 8

    init(_ element: Span<UInt8>, limits: InputLimits) throws(RejectedRecord) {
        var bytes: [UInt8] = []
        bytes.append(copying: element)
        var xml = XMLReader.Limits()
        xml.bytes = limits.documentLine
        // A field may be as long as the limit for a whole document.
        xml.token = limits.documentLine
        xml.depth = Self.maximumDepth
        do throws(XMLError) {
            reader = try XMLReader(bytes, limits: xml)
        } catch {
            throw RejectedRecord(notXML: error)
        }
    }

    mutating func next() throws(RejectedRecord) -> XMLReader.Event? {
        do throws(XMLError) {
            return try reader.next()
        } catch {
            throw RejectedRecord(notXML: error)
        }
    }

    /// Returns the text up to the end of the current element, which must not contain other elements.
    mutating func text(in name: String) throws(RejectedRecord) -> String {
        var text = ""
        while let event = try next() {
            switch event {
            case .text(let more): text += more
            case .endElement: return text
            case .startElement(let inner, _):
                throw RejectedRecord("<\(inner)> in <\(name)>, where only text is allowed; write < as &lt; in text")
            }
        }
        throw Self.unexpected
    }
}

extension RejectedRecord {
    init(notXML error: XMLError) {
        switch error.code {
        case .malformed where error.line > 1:
            self.init("not well-formed on line \(error.line) of the element: \(error.message); correct it")
        case .malformed: self.init("not well-formed: \(error.message); correct it")
        case .unsupportedEncoding: self.init("not UTF-8; convert the input first, for example with iconv -t UTF-8")
        default: self.init("not read: \(error.message)")
        }
    }
}

/// The tokens of XML, found in bytes that arrive in pieces.
///
/// Errors remain local: a `<` within a tag ends that tag, so an error affects only one element. Well-formedness is
/// checked by the parser.
struct XMLTokens {
    enum Token: Hashable {
        case text(isBlank: Bool)
        case characterData
        /// A comment, or a processing instruction such as the XML declaration.
        case aside
        case startTag(isClosed: Bool)
        case endTag
        /// Markup that is not valid in XML.
        case broken
    }

    private enum State {
        case start
        case text(isBlank: Bool)
        /// After `<`.
        case markup
        /// After `<!` and this many of the bytes that begin a comment or character data.
        case declaration(isComment: Bool?, Int)
        /// After this many of the bytes that end a comment: `--`, then `>`.
        case comment(Int)
        case characterData(Int)
        case instruction(Int)
        case name(isEnd: Bool)
        case tag(isEnd: Bool, isClosed: Bool)
        case quoted(UInt8, isEnd: Bool)
    }

    /// The maximum number of bytes kept of a name; all relevant names are shorter.
    private static let maximumName = 64

    /// The name of the last tag.
    private(set) var name: [UInt8] = []
    private var state = State.start

    /// Whether text other than whitespace is being read.
    var isInText: Bool { if case .text(isBlank: false) = state { true } else { false } }
    /// Whether the current token is incomplete.
    var isUnfinished: Bool {
        switch state {
        case .start, .text: false
        default: true
        }
    }

    /// Returns the token that continues at `start`, and the offset after it; `nil` if the token extends beyond these
    /// bytes.
    mutating func next(in bytes: Span<UInt8>, from start: Int) -> (token: Token, end: Int)? {
        var index = start
        while index < bytes.count {
            // Most bytes are text, and only the end of the text matters.
            if case .text(isBlank: false) = state {
                guard let end = bytes.offset(of: Self.less, from: index) else { return nil }
                index = end
            }
            if let token = take(bytes[index]) {
                state = .start
                // The `<` of the next token ends text, and a tag that has no end of its own.
                return (token.token, token.isBefore ? index : index + 1)
            }
            index += 1
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> (token: Token, isBefore: Bool)? {
        switch state {
        case .start: state = byte == Self.less ? .markup : .text(isBlank: Self.isBlank(byte))
        case .text(let isBlank):
            if byte == Self.less { return (.text(isBlank: isBlank), true) }
            if isBlank, !Self.isBlank(byte) { state = .text(isBlank: false) }
        case .markup: return begin(byte)
        case .declaration(let isComment, let matched): return declaration(byte, isComment: isComment, matched)
        case .comment(let matched):
            if byte == Self.greater, matched == 2 { return (.aside, false) }
            state = .comment(byte == UInt8(ascii: "-") ? min(2, matched + 1) : 0)
        case .characterData(let matched):
            if byte == Self.greater, matched == 2 { return (.characterData, false) }
            state = .characterData(byte == UInt8(ascii: "]") ? min(2, matched + 1) : 0)
        case .instruction(let matched):
            if byte == Self.greater, matched == 1 { return (.aside, false) }
            state = .instruction(byte == UInt8(ascii: "?") ? 1 : 0)
        case .name(let isEnd):
            guard !Self.endsName(byte) else { return goOn(byte, isEnd: isEnd, isClosed: false) }
            if name.count < Self.maximumName { name.append(byte) }
        case .tag(let isEnd, let isClosed): return goOn(byte, isEnd: isEnd, isClosed: isClosed)
        case .quoted(let quote, let isEnd):
            if byte == Self.less { return (.broken, true) }
            if byte == quote { state = .tag(isEnd: isEnd, isClosed: false) }
        }
        return nil
    }

    /// Handles the first byte after `<`.
    private mutating func begin(_ byte: UInt8) -> (token: Token, isBefore: Bool)? {
        name.removeAll(keepingCapacity: true)
        switch byte {
        case UInt8(ascii: "!"): state = .declaration(isComment: nil, 0)
        case UInt8(ascii: "?"): state = .instruction(0)
        case UInt8(ascii: "/"): state = .name(isEnd: true)
        case Self.less: return (.broken, true)
        case _ where Self.beginsName(byte):
            name.append(byte)
            state = .name(isEnd: false)
        default: return (.broken, false)
        }
        return nil
    }

    private mutating func declaration(
        _ byte: UInt8,
        isComment: Bool?,
        _ matched: Int
    ) -> (token: Token, isBefore: Bool)? {
        let isComment = isComment ?? (byte == UInt8(ascii: "-"))
        let start: StaticString = isComment ? "--" : "[CDATA["
        guard byte == start.utf8Start[matched] else { return (.broken, byte == Self.less) }
        if matched + 1 < start.utf8CodeUnitCount {
            state = .declaration(isComment: isComment, matched + 1)
        } else {
            state = isComment ? .comment(0) : .characterData(0)
        }
        return nil
    }

    /// Continues reading a tag after its name.
    private mutating func goOn(_ byte: UInt8, isEnd: Bool, isClosed: Bool) -> (token: Token, isBefore: Bool)? {
        switch byte {
        case Self.greater: return (isEnd ? .endTag : .startTag(isClosed: isClosed), false)
        case Self.less: return (.broken, true)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): state = .quoted(byte, isEnd: isEnd)
        default: state = .tag(isEnd: isEnd, isClosed: byte == UInt8(ascii: "/"))
        }
        return nil
    }

    private static var less: UInt8 { UInt8(ascii: "<") }
    private static var greater: UInt8 { UInt8(ascii: ">") }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private static func endsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"), less, greater: true
        default: isBlank(byte)
        }
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: true
        default: byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
        }
    }
}
