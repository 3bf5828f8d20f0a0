/// The top-level keys by which two JSON objects differ.
///
/// Values are compared as ``JSONMerge`` compares them: by their tokens in order, so that blanks and escapes don't count,
/// and the notation of numbers does. If a key occurs twice, the last one counts.
public struct JSONDifference: Hashable, Sendable {
    /// Keys that only the new object has, in its order.
    public private(set) var added: [String] = []
    /// Keys that both have, with another value, in the order of the new object.
    public private(set) var changed: [String] = []
    /// Keys that only the old object has, in its order.
    public private(set) var removed: [String] = []

    /// Compares two objects.
    ///
    /// `isIgnored` is asked about each key that only one of them has, with its value as JSON.
    ///
    /// - Throws: A ``JSONError`` if one of the two is not a JSON object.
    public init(
        from old: [UInt8],
        to new: [UInt8],
        ignoring isIgnored: (_ key: String, _ value: ArraySlice<UInt8>) -> Bool = { _, _ in false }
    ) throws(JSONError) {
        let (before, after) = (try JSONMembers(of: old.span), try JSONMembers(of: new.span))
        let (oldPlaces, newPlaces) = (Self.lastPlaces(before), Self.lastPlaces(after))
        for (place, member) in after.all.enumerated() where newPlaces[Array(member.key.utf8)] == place {
            guard let oldPlace = oldPlaces[Array(member.key.utf8)] else {
                if !isIgnored(member.key, new[member.value]) { added.append(member.key) }
                continue
            }
            if !JSONTokens.areEqual(old, before.all[oldPlace].value, new, member.value) { changed.append(member.key) }
        }
        for (place, member) in before.all.enumerated() where oldPlaces[Array(member.key.utf8)] == place {
            guard newPlaces[Array(member.key.utf8)] == nil, !isIgnored(member.key, old[member.value]) else { continue }
            removed.append(member.key)
        }
    }

    /// Whether the objects have the same keys and values.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

    private static func lastPlaces(_ members: JSONMembers) -> [[UInt8]: Int] {
        Dictionary(members.all.enumerated().map { (Array($1.key.utf8), $0) }) { $1 }
    }
}
