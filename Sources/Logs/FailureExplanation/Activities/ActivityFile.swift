/// The form of the files in `Rules/Activities`, which are in sections: ``SectionLines``.
///
/// ```
/// [provision-fields] creating the site columns and content types of a feature
/// of: solutions
/// frame: SPElementDefinitionCollection.ProvisionFieldsAndContentTypes
/// text: Failed to provision content type
/// usually: A content type of the feature names a column that does not exist yet.
/// usually(refusal): The account that activates the feature has no Full Control on the site.
/// check: Which features the site has :: Get-SPFeature -Site URL
/// ```
///
/// A frame is the end of a method's name, with its type or without the method. Several stand on a line; texts have a line
/// each, begin where a word does, and may be in any case. What stands in parentheses is a condition: a kind of code
/// (``FailureCode/Kind``), a code (`sql:2601`), or the last name of an exception's type. `generic: yes` marks what many
/// others are done within.
struct ActivityFile {
    /// An activity with what tells it.
    struct Entry {
        var activity: Activity
        var frames: [String] = []
        var texts: [String] = []
        /// Causes that go with a code or an exception.
        var conditional: [(condition: Condition, cause: String)] = []
    }

    enum Condition: Hashable {
        case kind(FailureCode.Kind)
        case code(CodeKey)
        case exception(String)

        init?(_ text: Substring) {
            if let kind = FailureCode.Kind(rawValue: String(text)) {
                self = .kind(kind)
            } else if text.utf8.contains(UInt8(ascii: ":")) {
                guard let key = CodeKey(ArraySlice(text.utf8)) else { return nil }
                self = .code(key)
            } else {
                self = .exception(String(text))
            }
        }
    }

    private(set) var entries: [Entry] = []
    /// Lines that say nothing; there are none in a file that is right.
    private(set) var unread: [Substring] = []

    init(_ text: String) {
        let unread = SectionLines.unread(in: text) { read($0) }
        self.unread = unread
    }

    private mutating func read(_ line: SectionLines.Content) -> Bool {
        if case .heading(let id, let name) = line {
            entries.append(Entry(activity: Activity(id: id, name: name, causes: [], checks: [], isGeneric: false)))
            return true
        }
        guard let last = entries.indices.last else { return false }
        switch line {
        case .check(let check): entries[last].activity.checks.append(check)
        case .member("of", let value): entries[last].activity.component = String(value)
        case .member("frame", let value): entries[last].frames += value.items(UInt8(ascii: ","))
        case .member("text", let value): entries[last].texts.append(String(value))
        case .member("generic", let value): entries[last].activity.isGeneric = value == "yes"
        case .member("usually", let value): entries[last].activity.causes.append(String(value))
        case .member(let key, let value):
            guard key.hasPrefix("usually("), key.hasSuffix(")"),
                let condition = Condition(key.dropFirst("usually(".count).dropLast())
            else { return false }
            entries[last].conditional.append((condition, String(value)))
        case .heading: return false
        }
        return true
    }
}
