import Spelling

/// Why a table lacks the column that was asked for.
struct UnknownColumn: Error {
    let reason: String
}

extension InputColumn {
    /// Which column of a table it is, from 0.
    func place(among titles: [String]) throws(UnknownColumn) -> Int {
        switch self {
        case .number(let number, _):
            guard number >= 1, number <= titles.count else {
                throw UnknownColumn(reason: "has no column \(number): the first row has \(titles.count)")
            }
            return number - 1
        case .named(let name):
            // By bytes: `==` would take NFC and NFD for the same.
            let matches = titles.indices.filter { titles[$0].utf8.elementsEqual(name.utf8) }
            guard matches.count == 1 else {
                throw UnknownColumn(reason: Self.unknown(name, among: titles, count: matches.count))
            }
            return matches[0]
        }
    }

    private static func unknown(_ name: String, among titles: [String], count: Int) -> String {
        if count > 1 { return "has \(count) columns '\(name)'; give the number of the one that holds the IDs" }
        // A title may be as long as a row; a message may not.
        let shown = titles.prefix(20).map { $0.count > 40 ? $0.prefix(39) + "…" : $0 }
        let columns = shown.joined(separator: ", ") + (titles.count > 20 ? ", …" : "")
        let near = name.nearest(in: titles.prefix(1000).filter { $0.utf8.count <= 200 })
        return "has no column '\(name)'; its columns are \(columns)\(near.map { "; did you mean '\($0)'?" } ?? "")"
    }
}
