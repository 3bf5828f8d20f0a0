/// Where the tokens of a Solr message stand: which elements are open, and when a record is complete.
struct SolrMessage {
    /// The elements that hold others.
    enum Container: String, Hashable {
        case update, add, delete
    }

    /// What the reader is given at once.
    enum Piece: Hashable {
        /// Blanks, comments and instructions, and the end of a container.
        case aside
        /// The start tag of a container.
        case opening(Container)
        /// An element in a container, whole.
        case record(name: [UInt8], in: Container)
        /// Text where there should be an element.
        case text
        /// The rest cannot be read.
        case lost(String)
    }

    private(set) var open: [Container] = []
    /// True when the first element has been seen.
    private(set) var hasRoot = false
    /// The element that is being read, and how many of its own name are open in it.
    private var record: (name: [UInt8], nesting: Int)?

    /// What keeps the message from being complete.
    var missingEnd: String? {
        if let record { return "</\(Self.text(record.name))>" }
        return open.last.map { "</\($0.rawValue)>" }
    }

    /// The piece that a token ends; `nil` within one.
    ///
    /// An element goes up to the end tag of its own name, whatever is wrong in between.
    mutating func piece(endedBy token: XMLTokens.Token, name: [UInt8]) -> Piece? {
        guard record == nil else { return pieceOfRecord(endedBy: token, name: name) }
        switch token {
        case .aside, .text(isBlank: true): return .aside
        case .text, .characterData: return open.isEmpty ? .lost("text behind the end of the message") : .text
        case .broken: return .lost("not well-formed: markup that XML does not have, or a DOCTYPE, which is not read")
        case .startTag(let isClosed): return start(name, isClosed: isClosed)
        case .endTag:
            guard let last = open.last, name.elementsEqual(last.rawValue.utf8) else {
                return .lost("not well-formed: </\(Self.text(name))> ends nothing that is open")
            }
            open.removeLast()
            return .aside
        }
    }

    private mutating func start(_ name: [UInt8], isClosed: Bool) -> Piece? {
        let container = Container(rawValue: String(decoding: name, as: UTF8.self))
        guard let last = open.last else {
            guard !hasRoot else { return .lost("not well-formed: <\(Self.text(name))> behind the end of the message") }
            hasRoot = true
            guard let container else {
                return .lost("begins with <\(Self.text(name))>, and a Solr message with <add>, <delete> or <update>")
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
            // The end of the record is missing: what comes behind the container is another's again.
            open.removeLast()
            record.nesting = 0
        default: return nil
        }
        self.record = record.nesting > 0 ? record : nil
        return record.nesting > 0 ? nil : .record(name: record.name, in: container)
    }

    private static func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }
}
