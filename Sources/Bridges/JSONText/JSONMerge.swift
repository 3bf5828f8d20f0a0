/// A merge of one JSON object into another, at the top level only.
public enum JSONMerge {
    /// Returns the object with the keys of `patch` replaced or appended, and those that are `null` in it removed.
    ///
    /// Every other byte of `base` stays as it is. A value counts as changed unless both contain the same tokens in the
    /// same order: blanks around tokens and the escaping of strings don't count; the order of members and the notation
    /// of numbers do (`1` and `1.0` differ). If a key occurs twice, the last one counts.
    ///
    /// - Returns: The object, or `nil` if nothing changes.
    /// - Throws: A ``JSONError`` if one of the two is not a JSON object.
    public static func merged(base: [UInt8], patch: [UInt8]) throws(JSONError) -> [UInt8]? {
        let members = try JSONMembers(of: base.span)
        let changes = try JSONMembers(of: patch.span)
        let old = lastPlaces(members)
        let edits = lastPlaces(changes).filter { key, place in
            let change = changes.all[place]
            guard let oldPlace = old[key] else { return change.kind != .null }
            return change.kind == .null
                || !JSONTokens.areEqual(base, members.all[oldPlace].value, patch, change.value)
        }
        guard !edits.isEmpty else { return nil }

        var output = Array(base[...members.range.lowerBound])
        var begins = true
        // The start of the blanks before the next member.
        var start = members.range.lowerBound + 1
        // The blanks before the last member, for those that are appended.
        var blanks = 0..<0
        for (index, member) in members.all.enumerated() {
            let key = Array(member.key.utf8)
            let edit = edits[key].map { changes.all[$0] }
            let isLast = index == members.all.count - 1
            let end = isLast ? member.value.upperBound : comma(behind: member.value.upperBound, in: base)
            blanks = start..<member.keyRange.lowerBound
            if edit == nil || edit?.kind != .null && old[key] == index {
                if !begins { output.append(UInt8(ascii: ",")) }
                begins = false
                output += base[start..<member.value.lowerBound]
                output += edit.map { patch[$0.value] } ?? base[member.value]
                output += base[member.value.upperBound..<end]
            }
            start = end + (isLast ? 0 : 1)
        }
        for place in edits.filter({ old[$0.key] == nil }).values.sorted() {
            if !begins { output.append(UInt8(ascii: ",")) }
            begins = false
            output += base[blanks]
            output += patch[changes.all[place].keyRange]
            output.append(UInt8(ascii: ":"))
            output += patch[changes.all[place].value]
        }
        return output + base[start...]
    }

    private static func comma(behind offset: Int, in json: [UInt8]) -> Int {
        json[offset...].firstIndex(of: UInt8(ascii: ",")) ?? offset
    }

    /// Returns the index of each key among the members; for a key that occurs twice, the last one.
    private static func lastPlaces(_ members: JSONMembers) -> [[UInt8]: Int] {
        Dictionary(members.all.enumerated().map { (Array($1.key.utf8), $0) }) { $1 }
    }
}
