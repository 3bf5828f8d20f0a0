import ContentFeeding
import JSONText

/// Comparisons of two versions of a document, by top-level keys.
struct DocumentContents: Hashable, Sendable {
    /// The key that may hold the document's ID: engines add it or leave it out.
    let idKey: String
    /// The top-level keys that count; empty for all of them.
    let keys: [String]

    init(_ origin: CopyOrigin) { (idKey, keys) = (origin.idKey, origin.keys) }

    /// Whether a top-level field has a value, as a search compares them.
    func has(_ field: SearchQuery.Field, _ json: [UInt8]) -> Bool {
        (try? JSONStrings.field(field.name, of: json.span, equals: field.value)) ?? false
    }

    /// Whether both are the same document, or both are none.
    func areEqual(_ left: [UInt8]?, _ right: [UInt8]?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left == right || (try? changedKeys(from: left, to: right).isEmpty) == true
    }

    /// Returns the keys whose values differ, in the order of the second document; those that only the first has follow.
    func changedKeys(from old: [UInt8], to new: [UInt8]) throws(JSONError) -> [String] {
        let (before, after) = (try Members(of: old, self), try Members(of: new, self))
        var changed: [String] = []
        for member in after.ordered {
            guard let other = before[member.key] else {
                changed.append(member.key)
                continue
            }
            if !JSONTokens.areEqual(old, other.value, new, member.value) { changed.append(member.key) }
        }
        return changed + before.ordered.map(\.key).filter { after[$0] == nil }
    }

    /// Returns the merge patch that makes the second document of the first, as far as a patch can: `null` removes a key.
    func patch(from old: [UInt8], to new: [UInt8]) throws(JSONError) -> [UInt8] {
        let after = try Members(of: new, self)
        let changed = try changedKeys(from: old, to: new)
        var writer = JSONWriter()
        writer.object { writer in
            for key in changed {
                writer.key(key)
                if let member = after[key] { writer.raw(Array(new[member.value])) } else { writer.null() }
            }
        }
        return writer.takeBytes()
    }

    /// Returns the document with the keys that count.
    func projected(_ json: [UInt8]) throws(JSONError) -> [UInt8] {
        guard !keys.isEmpty else { return json }
        return excerpt(of: json, try Members(of: json, self).ordered)
    }

    /// Returns an object with some keys of a document.
    func excerpt(of json: [UInt8], keys: [String]) throws(JSONError) -> [UInt8] {
        let members = try Members(of: json, self)
        return excerpt(of: json, keys.compactMap { members[$0] })
    }

    private func excerpt(of json: [UInt8], _ members: [JSONMembers.Member]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            for member in members { writer.member(member.key, raw: Array(json[member.value])) }
        }
        return writer.takeBytes()
    }
}

/// The members of a document that count; of a key that occurs twice, the last.
///
/// Keys are told apart by their bytes.
private struct Members {
    private(set) var ordered: [JSONMembers.Member] = []
    private var places: [[UInt8]: Int] = [:]

    init(of json: [UInt8], _ contents: DocumentContents) throws(JSONError) {
        let wanted = Set(contents.keys.map { Array($0.utf8) })
        let all = try JSONMembers(of: json.span).all.filter { member in
            let key = Array(member.key.utf8)
            return !key.elementsEqual(contents.idKey.utf8) && (wanted.isEmpty || wanted.contains(key))
        }
        let last = Dictionary(all.enumerated().map { (Array($1.key.utf8), $0) }) { $1 }
        for (place, member) in all.enumerated() where last[Array(member.key.utf8)] == place {
            places[Array(member.key.utf8)] = ordered.count
            ordered.append(member)
        }
    }

    subscript(key: String) -> JSONMembers.Member? { places[Array(key.utf8)].map { ordered[$0] } }
}
