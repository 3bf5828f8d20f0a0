import Synchronization

/// A server that identifies itself as OpenSearch, stores the documents of its index `web`, and records every change to
/// them.
///
/// A client's report must agree with the server's log. The server responds immediately and loses nothing, unlike a
/// ``FaultProxy`` in front of it. It can defer a share of the writes, as a busy engine does.
public final class DocumentServer: Sendable {
    /// A write that took effect, or a removal that found nothing.
    public struct Deed: Sendable {
        public let document: String
        /// The number `v` in the document that was written; `nil` for a removal.
        public let version: Int?
        public let wasPresent: Bool
    }

    private let server: ScriptedOpenSearch
    private let index: DocumentIndex

    /// Of every hundred writes, `refused` are deferred with 429 or 503; the same seed selects the same writes.
    public init(holding documents: [String] = [], refused: UInt64 = 0, seed: UInt64 = 0) throws {
        let index = DocumentIndex(documents, refused: refused, seed: seed)
        self.index = index
        server = try ScriptedOpenSearch { line, request in
            if line.contains("/_refresh") { return ("{}", 200) }
            return line.contains("/_bulk") ? (index.reply(to: request), 200) : nil
        }
    }

    public var port: UInt16 { UInt16(server.port) }
    public var url: String { "http://127.0.0.1:\(port)" }
    /// The existing documents, each with the version that was written last.
    public var documents: [String: Int] { index.state.withLock { $0.documents } }
    /// A log of all changes, in order.
    public var deeds: [Deed] { index.state.withLock { $0.deeds } }
}

/// The documents, which all threads of the server share.
private final class DocumentIndex: Sendable {
    struct State {
        var documents: [String: Int]
        var deeds: [DocumentServer.Deed] = []
        var writes: UInt64 = 0
    }

    let state: Mutex<State>
    private let refused: UInt64
    private let seed: UInt64

    init(_ documents: [String], refused: UInt64, seed: UInt64) {
        state = Mutex(State(documents: Dictionary(documents.map { ($0, 0) }) { first, _ in first }))
        (self.refused, self.seed) = (refused, seed)
    }

    /// Carries out a bulk request, and returns the reply's body.
    func reply(to request: String) -> String {
        // Characters of a request may combine across its line ends; bytes can't.
        var lines = request.utf8.split(separator: UInt8(ascii: "\n")).drop { $0.first != UInt8(ascii: "{") }
            .map { String(decoding: $0, as: UTF8.self) }[...]
        return state.withLock { state in
            var items: [String] = []
            while let action = lines.popFirst() {
                let id = Self.value(of: #""_id":""#, in: action).prefix { $0 != "\"" }
                let document = action.hasPrefix(#"{"index""#) ? lines.popFirst() : nil
                items.append(answer(String(id), document, in: &state))
            }
            return #"{"took":1,"errors":false,"items":[\#(items.joined(separator: ","))]}"#
        }
    }

    private func answer(_ id: String, _ document: String?, in state: inout State) -> String {
        state.writes += 1
        var random = SeededGenerator(seed: seed &+ state.writes &* 0x9E37_79B9)
        let word = document == nil ? "delete" : "index"
        guard random.next() % 100 >= refused else {
            let (status, type) =
                random.next() % 2 == 0
                ? (429, "es_rejected_execution_exception") : (503, "unavailable_shards_exception")
            let error = #"{"type":"\#(type)","reason":"not now"}"#
            return #"{"\#(word)":{"_index":"web","_id":"\#(id)","status":\#(status),"error":\#(error)}}"#
        }
        let version = document.map { Int(Self.value(of: #""v":"#, in: $0).prefix { $0.isNumber }) ?? 0 }
        let wasPresent = state.documents[id] != nil
        state.documents[id] = version
        state.deeds.append(.init(document: id, version: version, wasPresent: wasPresent))
        let (status, result) =
            switch (version, wasPresent) {
            case (nil, true): (200, "deleted")
            case (nil, false): (404, "not_found")
            case (_, true): (200, "updated")
            case (_, false): (201, "created")
            }
        return #"{"\#(word)":{"_index":"web","_id":"\#(id)","_version":1,"status":\#(status),"result":"\#(result)"}}"#
    }

    private static func value(of key: String, in line: String) -> Substring {
        line.firstRange(of: key).map { line[$0.upperBound...] } ?? ""
    }
}
