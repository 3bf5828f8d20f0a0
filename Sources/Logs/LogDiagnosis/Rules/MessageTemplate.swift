/// A sentence with places to fill: `control '{control_id|?}' appears twice ({trace_on.at})`.
public struct MessageTemplate: Sendable, Hashable {
    /// A piece of the sentence.
    enum Piece: Sendable, Hashable {
        case text(String)
        /// A capture, `check.at` or `count`, and what stands there when it is not known.
        case place(String, instead: String)
    }

    let pieces: [Piece]

    /// `nil` when a brace is not closed or a name is empty.
    init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            if brace != rest.startIndex { pieces.append(.text(String(rest[..<brace]))) }
            guard let end = rest[brace...].firstIndex(of: "}") else { return nil }
            let inside = rest[rest.index(after: brace)..<end]
            let name = inside.prefix { $0 != "|" }
            guard !name.isEmpty else { return nil }
            let instead = inside.count == name.count ? "(unknown)" : String(inside.dropFirst(name.count + 1))
            pieces.append(.place(String(name), instead: instead))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        self.pieces = pieces
    }

    /// The names of its places.
    var names: [String] {
        pieces.compactMap { if case .place(let name, _) = $0 { name } else { nil } }
    }

    /// The sentence with its places filled.
    func filled(_ value: (String) -> String?) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .place(let name, let instead): value(name) ?? instead
            }
        }.joined()
    }
}
