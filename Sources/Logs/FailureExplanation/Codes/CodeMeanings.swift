/// What people wrote about codes: `Rules/Codes/meanings.txt`.
///
/// A block for each code, or for several that mean the same, and an empty line between blocks:
///
///     win32:5 ntstatus:0xC0000022
///     means The account has no right to the object.
///     cause The account of the application pool changed.
///     check Find the account of the process.
///     run Get-Process -IncludeUserName
///
/// A line `kind refusal` may follow `means`: ``FailureCode/Kind``, and before it may stand `of secure-store`: the component,
/// by its ID, that alone writes the sentence. `cause` and `check` may come several times; `run` is the
/// command of the check before it and changes nothing.
struct CodeMeanings: Sendable {
    struct Words {
        var meaning: String?
        var kind: FailureCode.Kind?
        var component: String?
        var causes: [String] = []
        var checks: [Check] = []
    }

    static let builtIn = CodeMeanings(BuiltInCodes.files.first { $0.name == "meanings.txt" }?.text ?? "")

    private let bytes: [UInt8]
    /// Where the block of each code stands; it is read when somebody asks for it.
    private var blocks: [CodeKey: Range<Int>] = [:]

    init(_ text: String) {
        bytes = Array(text.utf8)
        blocks.reserveCapacity(512)
        var start = 0
        while start < bytes.count {
            guard bytes[start] != UInt8(ascii: "\n") else {
                start += 1
                continue
            }
            let head = endOfLine(start)
            var end = head
            while end + 1 < bytes.count, bytes[end + 1] != UInt8(ascii: "\n") { end = endOfLine(end + 1) }
            for word in bytes[start..<head].split(separator: UInt8(ascii: " ")) {
                if let key = CodeKey(word) { blocks[key] = head..<min(end, bytes.count) }
            }
            start = end + 1
        }
    }

    private func endOfLine(_ start: Int) -> Int { bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count }

    /// The codes that have a block.
    var keys: some Collection<CodeKey> { blocks.keys }

    func words(of key: CodeKey) -> Words? {
        guard let block = blocks[key] else { return nil }
        var words = Words()
        for line in bytes[block].split(separator: UInt8(ascii: "\n")) {
            guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { continue }
            let text = String(decoding: line[(space + 1)...], as: UTF8.self)
            switch String(decoding: line[..<space], as: UTF8.self) {
            case "means": words.meaning = text
            case "of": words.component = text
            case "kind": words.kind = FailureCode.Kind(rawValue: text)
            case "cause": words.causes.append(text)
            case "check": words.checks.append(Check(text))
            case "run" where !words.checks.isEmpty: words.checks[words.checks.count - 1].command = text
            default: break
            }
        }
        return words
    }
}

extension CodeKey {
    /// `win32:5`, `hresult:0x80070005`, `http:503.2`.
    init?(_ text: ArraySlice<UInt8>) {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
            let space = FailureCode.Space(rawValue: String(decoding: text[..<colon], as: UTF8.self)),
            let number = CodeNumber.parse(text[(colon + 1)...], in: space)
        else { return nil }
        self.init(space, number)
    }
}
