/// A change to a JSON object: keys with new values, and operators that compute a value from the stored one.
///
/// A key's value replaces the stored one, and `null` removes the key, as in ``JSONMerge``. An object whose first key
/// begins with `$` is a list of operators, which are applied in order:
///
/// - `{"$inc": N}` adds a number; if there is no stored value, the result is that number.
/// - `{"$add": [V, …]}` appends the values that a list does not contain yet.
/// - `{"$remove": [V, …]}` removes the values from a list.
/// - `{"$set": V}` sets any value, including one that looks like operators; `null` removes the key.
///
/// A key with an operator may be a path with dots, `a.b`, unless the object has such a key. Operators are recognized at
/// the top level of a patch only; ``misplacedOperator(in:isPatch:)`` finds others.
package enum JSONPatch {
    /// Returns the object after the change; `nil` if nothing changes.
    ///
    /// All bytes that are not affected remain unchanged.
    package static func merged(base: [UInt8], patch: [UInt8]) throws(JSONPatchError) -> [UInt8]? {
        do throws(JSONError) {
            guard hasOperators(patch) else { return try JSONMerge.merged(base: base, patch: patch) }
        } catch {
            throw JSONPatchError(error)
        }
        let resolved = try resolved(patch, on: base)
        do throws(JSONError) {
            return try JSONMerge.merged(base: base, patch: resolved)
        } catch {
            throw JSONPatchError(error)
        }
    }

    /// Returns the patch without operators that changes `base` in the same way; with `hasPaths`, a dot in a key with an
    /// operator leads into an object.
    package static func resolved(
        _ patch: [UInt8],
        on base: [UInt8],
        hasPaths: Bool = true
    ) throws(JSONPatchError) -> [UInt8] {
        guard hasOperators(patch) else { return patch }
        do throws(PatchFailure) {
            return try Resolution(of: patch, on: base, hasPaths: hasPaths).json
        } catch {
            throw JSONPatchError(error)
        }
    }

    /// Returns whether a patch contains operators; `false` for a text that is not an object.
    package static func hasOperators(_ patch: [UInt8]) -> Bool {
        guard mayHaveOperators(patch), let members = try? JSONMembers(of: patch.span) else { return false }
        return members.all.contains { isOperator(patch[$0.value]) }
    }

    /// Returns whether the key of an operator has a dot, which is a path on some engines.
    package static func hasPaths(_ patch: [UInt8]) -> Bool {
        guard mayHaveOperators(patch), let members = try? JSONMembers(of: patch.span) else { return false }
        return members.all.contains { $0.key.utf8.contains(UInt8(ascii: ".")) && isOperator(patch[$0.value]) }
    }

    /// Returns whether applying the patch repeatedly changes the object each time, as with a counter.
    package static func isCounting(_ patch: [UInt8]) -> Bool {
        guard mayHaveOperators(patch), let members = try? JSONMembers(of: patch.span) else { return false }
        return members.all.contains { isCounter(patch[$0.value]) }
    }

    /// Returns the patch without the keys of its counters, whose results depend on how often it was applied.
    package static func withoutCounters(_ patch: [UInt8]) -> [UInt8] {
        guard isCounting(patch), let members = try? JSONMembers(of: patch.span) else { return patch }
        let counters = Set(members.all.filter { isCounter(patch[$0.value]) }.map { Array($0.key.utf8) })
        return JSONWriter.object { writer in
            for member in members.all where !counters.contains(Array(member.key.utf8)) {
                writer.key(member.key)
                writer.raw(Array(patch[member.value]))
            }
        }
    }

    private static func isCounter(_ value: ArraySlice<UInt8>) -> Bool {
        guard isOperator(value), let operators = try? JSONMembers(of: Array(value).span) else { return false }
        return operators.all.contains { $0.key == Operator.inc.rawValue }
    }

    /// Returns a patch with the effect of two, one after the other, as far as it does not depend on the object; `nil`
    /// if they can't be combined.
    ///
    /// The second one must not have paths. An operator is applied to the value that the first patch gives its key. If
    /// this value is not known either, only the operator remains.
    package static func combined(_ first: [UInt8], then second: [UInt8]) -> [UInt8]? {
        guard let before = try? JSONMembers(of: first.span), before.duplicateKey == nil,
            let after = try? JSONMembers(of: second.span), after.duplicateKey == nil
        else { return nil }
        var members = before.all.map { (key: $0.key, value: Array(first[$0.value])) }
        for member in after.all {
            var value = Array(second[member.value])
            if isOperator(value[...]),
                let known = members.first(where: { areSame($0.key, member.key) })?.value, !isOperator(known[...])
            {
                let (base, patch) = (object(member.key, known), object(member.key, value))
                guard let new = try? resolved(patch, on: base, hasPaths: false),
                    let result = try? JSONMembers(of: new.span).all.first
                else { return nil }
                value = Array(new[result.value])
            }
            members.removeAll { other in
                // An operator with a path has changed a part of the value, which is replaced.
                let isBelow = isOperator(other.value[...]) && other.key.utf8.starts(with: (member.key + ".").utf8)
                return isBelow || areSame(other.key, member.key)
            }
            members.append((member.key, value))
        }
        return JSONWriter.object { writer in
            for member in members { writer.member(member.key, raw: member.value) }
        }
    }

    private static func object(_ key: String, _ value: [UInt8]) -> [UInt8] {
        JSONWriter.object { $0.member(key, raw: value) }
    }

    /// Returns whether two keys are the same in JSON, which does not normalize them.
    private static func areSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    /// Returns a patch whose values are all taken literally, even those that look like operators.
    package static func literal(_ patch: [UInt8]) -> [UInt8] {
        guard mayHaveOperators(patch), let members = try? JSONMembers(of: patch.span),
            members.all.contains(where: { isOperator(patch[$0.value]) })
        else { return patch }
        return JSONWriter.object { writer in
            for member in members.all {
                writer.key(member.key)
                let value = Array(patch[member.value])
                guard isOperator(patch[member.value]) else {
                    writer.raw(value)
                    continue
                }
                writer.object { $0.member(Operator.literal.rawValue, raw: value) }
            }
        }
    }

    /// Returns the first operator that would be stored as it is, because it is within a value or in a whole document;
    /// `nil` if there is none.
    ///
    /// An object with the name of an operator among its keys counts; other keys that begin with `$` are data. At the top
    /// level of a patch, so does an operator with an object, as in `{"$inc":{"n":1}}` of other databases; at the top level
    /// of a whole document, keys are data.
    ///
    /// An operator whose dollar sign is escaped is never applied, so it is misplaced everywhere.
    package static func misplacedOperator(in json: [UInt8], isPatch: Bool) -> MisplacedOperator? {
        guard mayHaveOperators(json) || hasEscapedDollar(json), let members = try? JSONMembers(of: json.span) else {
            return nil
        }
        for member in members.all where !isPatch || !isOperator(json[member.value]) {
            if isPatch, member.kind == .object, let name = Operator(rawValue: member.key) {
                return MisplacedOperator(name: name.rawValue, path: [], isInPatch: true)
            }
            let value = Array(json[member.value])
            if let found = misplacedOperator(in: value, at: [member.key], isInPatch: isPatch) { return found }
        }
        return nil
    }

    private static func misplacedOperator(
        in value: [UInt8],
        at path: [String],
        isInPatch: Bool,
        isInList: Bool = false
    ) -> MisplacedOperator? {
        guard path.count < 64 else { return nil }
        if value.first == UInt8(ascii: "{"), let members = try? JSONMembers(of: value.span) {
            if let name = members.all.lazy.compactMap({ Operator(rawValue: $0.key) }).first {
                return MisplacedOperator(
                    name: name.rawValue,
                    path: path,
                    isInPatch: isInPatch,
                    isInList: isInList,
                    hasOtherKeys: members.all.contains { Operator(rawValue: $0.key) == nil }
                )
            }
            for member in members.all {
                let (part, path) = (Array(value[member.value]), path + [member.key])
                let found = misplacedOperator(in: part, at: path, isInPatch: isInPatch, isInList: isInList)
                if let found { return found }
            }
        } else if value.first == UInt8(ascii: "[") {
            for element in (try? elements(of: value)) ?? [] {
                let found = misplacedOperator(in: element, at: path, isInPatch: isInPatch, isInList: true)
                if let found { return found }
            }
        }
        return nil
    }

    /// Returns the elements of an array.
    fileprivate static func elements(of array: [UInt8]) throws(JSONError) -> [[UInt8]] {
        var scanner = JSONScanner(array.span)
        var elements: [[UInt8]] = []
        try scanner.enterArray()
        while try scanner.nextElement() { elements.append(Array(array[try scanner.skipValue()])) }
        return elements
    }

    /// A quick check for operators, which few patches contain: an operator's key begins with an unescaped dollar sign.
    private static func mayHaveOperators(_ patch: [UInt8]) -> Bool {
        // Without branches or bounds checks, the compiler generates code that compares many bytes at once.
        patch.withUnsafeBufferPointer { all in
            var found: UInt8 = 0
            for index in all.indices.dropFirst() {
                let difference = (all[index - 1] ^ UInt8(ascii: "\"")) | (all[index] ^ UInt8(ascii: "$"))
                found |= difference == 0 ? 1 : 0
            }
            return found != 0
        }
    }

    /// Returns whether a text contains the escape sequence for a dollar sign, which encoders of JSON don't write.
    private static func hasEscapedDollar(_ json: [UInt8]) -> Bool {
        var rest = json[...]
        while let place = rest.firstIndex(of: UInt8(ascii: "\\")) {
            if rest[place...].starts(with: #"\u0024"#.utf8) { return true }
            // The byte after a backslash may be another one, which it escapes.
            rest = rest[place...].dropFirst(2)
        }
        return false
    }

    /// Returns whether a value is an object whose first key begins with `$`.
    fileprivate static func isOperator(_ value: ArraySlice<UInt8>) -> Bool {
        guard value.first == UInt8(ascii: "{") else { return false }
        let key = value.dropFirst().drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return key.starts(with: [UInt8(ascii: "\""), UInt8(ascii: "$")])
    }

    /// An operator by its name in a patch.
    fileprivate enum Operator: String, CaseIterable {
        case inc = "$inc"
        case add = "$add"
        case remove = "$remove"
        case set = "$set"
        /// The same as `set`, except that a dot is part of the key.
        case literal = "$literal"
    }
}

/// An operator in a place where it would be stored instead of being applied.
package struct MisplacedOperator: Error, Hashable, Sendable {
    /// The name, such as `$inc`.
    let name: String
    /// The keys that lead to it; empty if it is in the place of a key.
    let path: [String]
    /// Whether it is in a patch, rather than in a whole document.
    let isInPatch: Bool
    /// Whether it is within a list, whose elements have no path.
    var isInList = false
    /// Whether its object has keys that are not operators.
    var hasOtherKeys = false

    /// The reason why the patch or the whole document is refused.
    package var reason: String {
        let place = String(path.joined(separator: ".").prefix(200))
        guard isInPatch else {
            return "has \(name) in '\(place)', but only an update applies operators; write the value itself"
        }
        if path.isEmpty { return "has \(name) in the place of a key; write {\"KEY\":{\"\(name)\":…}}" }
        if hasOtherKeys, !isInList {
            return """
                has \(name) beside other keys in '\(place)', where it is not applied; write a path for each key, as in \
                {"\(place).KEY":{"\(name)":…}}, or {"\(place)":{"$set":{…}}} to store the object as it is
                """
        }
        if isInList { return "has \(name) within the list '\(place)', where it is not applied; write the list itself" }
        return "has \(name) within an object, where it is not applied; write {\"\(place)\":{\"\(name)\":…}}"
    }
}

/// The reason a patch can't be applied to an object.
package struct JSONPatchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, as a sentence.
    package let description: String

    fileprivate init(_ failure: PatchFailure) {
        switch failure {
        case .notJSON(let error): self.init(error)
        case .refused(let reason): self.init(description: reason)
        }
    }

    private init(description: String) { self.description = description }

    fileprivate init(_ error: JSONError) { description = "it is not a single JSON object: \(error)" }
}

private enum PatchFailure: Error {
    case notJSON(JSONError)
    case refused(String)
}

/// The values of a patch's keys after its operators are evaluated.
private struct Resolution {
    private let base: [UInt8]
    private let stored: JSONMembers
    private let hasPaths: Bool
    /// The keys of the resolved patch, in order; each occurs once.
    private var keys: [String] = []
    /// The new value of each key; `nil` if the key is removed.
    private var values: [[UInt8]: [UInt8]?] = [:]

    init(of patch: [UInt8], on base: [UInt8], hasPaths: Bool) throws(PatchFailure) {
        (self.base, self.hasPaths) = (base, hasPaths)
        stored = try Self.members(of: base)
        for member in try Self.members(of: patch).all {
            let value = Array(patch[member.value])
            guard JSONPatch.isOperator(value[...]) else {
                set(member.key, member.kind == .null ? nil : value)
                continue
            }
            let operators = try Self.operators(in: value, of: member.key)
            var path = [member.key]
            if hasPaths, stored[member.key] == nil, operators.allSatisfy({ $0.name != .literal }) {
                let parts = member.key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                if parts.allSatisfy({ !$0.isEmpty }) { path = parts }
            }
            let new = try Self.applied(operators, at: path[...].dropFirst(), to: current(path[0]), named: path[0])
            set(path[0], new)
        }
    }

    /// The resolved patch.
    var json: [UInt8] {
        JSONWriter.object { writer in
            for key in keys {
                writer.key(key)
                if let value = values[Array(key.utf8)] ?? nil { writer.raw(value) } else { writer.null() }
            }
        }
    }

    private mutating func set(_ key: String, _ value: [UInt8]?) {
        if values.updateValue(value, forKey: Array(key.utf8)) == nil { keys.append(key) }
    }

    /// Returns the current value of a key; `null` counts as a missing value.
    private func current(_ key: String) -> [UInt8]? {
        if let value = values[Array(key.utf8)] { return value }
        guard let member = stored[key], member.kind != .null else { return nil }
        return Array(base[member.value])
    }

    private static func members(of json: [UInt8]) throws(PatchFailure) -> JSONMembers {
        do throws(JSONError) { return try JSONMembers(of: json.span) } catch { throw .notJSON(error) }
    }

    // MARK: Operators

    private struct Step {
        let name: JSONPatch.Operator
        let operand: [UInt8]
        let kind: JSONKind
    }

    private static func operators(in value: [UInt8], of key: String) throws(PatchFailure) -> [Step] {
        var steps: [Step] = []
        for member in try members(of: value).all {
            guard let name = JSONPatch.Operator(rawValue: member.key) else {
                let known = JSONPatch.Operator.allCases.map(\.rawValue).joined(separator: ", ")
                throw .refused(
                    """
                    '\(member.key)' in '\(key)' is not an update operator (\(known)); to store an object with \
                    such a key, write {"$set": {…}}
                    """
                )
            }
            let operand = Array(value[member.value])
            if name == .inc, member.kind != .number {
                throw .refused("$inc in '\(key)' must have a number, not \(operand.start)")
            }
            if name == .inc, !ExactNumber.canRepresent(operand) {
                throw .refused(
                    "$inc in '\(key)' can't add \(operand.start) exactly; it adds numbers of up to 38 digits"
                )
            }
            steps.append(Step(name: name, operand: operand, kind: member.kind))
        }
        return steps
    }

    /// Returns the value after applying operators to it, or to a part of it; `nil` if the key is removed.
    private static func applied(
        _ steps: [Step],
        at path: ArraySlice<String>,
        to value: [UInt8]?,
        named name: String
    ) throws(PatchFailure) -> [UInt8]? {
        guard let key = path.first else {
            var value = value
            for step in steps { value = try applied(step, to: value, named: name) }
            return value
        }
        let object = value ?? Array("{}".utf8)
        guard object.first == UInt8(ascii: "{") else {
            throw .refused("'\(name)' is \(object.start), not an object, so it has no key '\(key)'")
        }
        let members = try members(of: object)
        var before: [UInt8]?
        if let member = members[key], member.kind != .null { before = Array(object[member.value]) }
        let after = try applied(steps, at: path.dropFirst(), to: before, named: "\(name).\(key)")
        if after == nil, members[key] == nil { return value }
        let json = JSONWriter.object { writer in
            writer.key(key)
            if let after { writer.raw(after) } else { writer.null() }
        }
        do throws(JSONError) {
            return try JSONMerge.merged(base: object, patch: json) ?? object
        } catch {
            throw .notJSON(error)
        }
    }

    private static func applied(
        _ step: Step,
        to value: [UInt8]?,
        named name: String
    ) throws(PatchFailure) -> [UInt8]? {
        switch step.name {
        case .set, .literal: return step.kind == .null ? nil : step.operand
        case .inc:
            guard let value else { return step.operand }
            guard let sum = ExactNumber.sum(value, step.operand) else {
                throw .refused(
                    """
                    '\(name)' is \(value.start), to which $inc can't add \(step.operand.start) exactly; it adds to \
                    numbers of up to 38 digits
                    """
                )
            }
            return sum
        case .add:
            let list = try elements(of: value)
            var new: [[UInt8]] = []
            for element in try elements(of: step.operand, step.kind)
            where !(list + new).contains(where: { areEqual($0, element) }) { new.append(element) }
            if new.isEmpty, let value { return value }
            return written(list + new)
        case .remove:
            guard let value else { return nil }
            let (list, removed) = (try elements(of: value), try elements(of: step.operand, step.kind))
            let rest = list.filter { element in !removed.contains { areEqual($0, element) } }
            if rest.count == list.count { return value }
            // A single value is removed together with its key.
            return value.first == UInt8(ascii: "[") ? written(rest) : nil
        }
    }

    // MARK: Lists

    /// Returns the elements of a list; any other value counts as a list with one element, and a missing value as an
    /// empty list.
    private static func elements(of value: [UInt8]?, _ kind: JSONKind? = nil) throws(PatchFailure) -> [[UInt8]] {
        guard let value, kind != .null else { return [] }
        guard value.first == UInt8(ascii: "[") else { return [value] }
        do throws(JSONError) { return try JSONPatch.elements(of: value) } catch { throw .notJSON(error) }
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        JSONTokens.areEqual(left, 0..<left.count, right, 0..<right.count)
    }

    private static func written(_ elements: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }
}

extension [UInt8] {
    /// The beginning of a value, for a message.
    fileprivate var start: String {
        let text = String(decoding: prefix(40), as: UTF8.self)
        return count > 40 ? text + "…" : text
    }
}

/// A decimal number without rounding.
private struct ExactNumber {
    /// The number without its decimal point.
    private var digits: Int128
    /// The number of digits after the decimal point.
    private var scale: Int

    private static let maximumScale = 38

    /// Returns the sum as it is written in JSON, with as many decimal places as the more precise operand; `nil` if an
    /// operand is not a number, or if the sum would have to be rounded.
    static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8]? {
        guard let left = ExactNumber(left), let right = ExactNumber(right) else { return nil }
        let scale = max(left.scale, right.scale)
        guard let first = left.scaled(to: scale), let second = right.scaled(to: scale) else { return nil }
        let (digits, overflows) = first.addingReportingOverflow(second)
        return overflows ? nil : ExactNumber(digits: digits, scale: scale).json
    }

    /// Returns whether a number in JSON's notation can be added without rounding.
    static func canRepresent(_ json: [UInt8]) -> Bool { ExactNumber(json) != nil }

    private init(digits: Int128, scale: Int) { (self.digits, self.scale) = (digits, scale) }

    /// Reads a number in JSON's notation.
    private init?(_ json: [UInt8]) {
        let parts = json.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == 0x65 || $0 == 0x45 }
        guard let mantissa = parts.first else { return nil }
        let halves = mantissa.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = halves.dropFirst().first ?? []
        guard let digits = Int128(String(decoding: halves[0] + fraction, as: UTF8.self)) else { return nil }
        var exponent = 0
        if let part = parts.dropFirst().first {
            guard let number = Int(String(decoding: part, as: UTF8.self)), abs(number) <= Self.maximumScale else {
                return nil
            }
            exponent = number
        }
        self.init(digits: digits, scale: fraction.count - exponent)
        if scale < 0 {
            guard let scaled = scaled(to: 0) else { return nil }
            self.init(digits: scaled, scale: 0)
        }
        guard scale <= Self.maximumScale else { return nil }
    }

    private func scaled(to scale: Int) -> Int128? {
        var digits = digits
        for _ in self.scale..<scale {
            let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
            if overflows { return nil }
            digits = product
        }
        return digits
    }

    private var json: [UInt8] {
        var text = Array(String(digits.magnitude).utf8)
        if scale > 0 {
            if text.count <= scale {
                text = [UInt8](repeating: UInt8(ascii: "0"), count: scale + 1 - text.count) + text
            }
            text.insert(UInt8(ascii: "."), at: text.count - scale)
        }
        return digits < 0 ? [UInt8(ascii: "-")] + text : text
    }
}
