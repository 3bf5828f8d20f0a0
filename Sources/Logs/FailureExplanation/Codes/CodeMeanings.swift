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
/// `cause` and `check` may come several times; `run` is the command of the check before it and changes nothing.
struct CodeMeanings: Sendable {
    struct Words {
        var meaning: String?
        var causes: [String] = []
        var checks: [Check] = []
    }

    static let builtIn = CodeMeanings(BuiltInCodes.files.first { $0.name == "meanings.txt" }?.text ?? "")

    /// The block of each code; it is read when somebody asks for it.
    private var blocks: [CodeKey: Substring] = [:]

    init(_ text: String) {
        var rest = text[...].utf8
        while !rest.isEmpty {
            let end = Self.endOfBlock(rest)
            let block = rest[..<end]
            rest = rest[end...].drop { $0 == UInt8(ascii: "\n") }
            guard let head = block.firstIndex(of: UInt8(ascii: "\n")) else { continue }
            for word in block[..<head].split(separator: UInt8(ascii: " ")) {
                if let key = CodeKey(Array(word)) { blocks[key] = Substring(block[head...]) }
            }
        }
    }

    private static func endOfBlock(_ text: Substring.UTF8View) -> String.Index {
        var wasLineEnd = false
        for index in text.indices {
            let isLineEnd = text[index] == UInt8(ascii: "\n")
            if isLineEnd, wasLineEnd { return index }
            wasLineEnd = isLineEnd
        }
        return text.endIndex
    }

    /// The codes that have a block.
    var keys: Dictionary<CodeKey, Substring>.Keys { blocks.keys }

    func words(of key: CodeKey) -> Words? {
        guard let block = blocks[key] else { return nil }
        var words = Words()
        for line in block.split(separator: "\n") {
            guard let space = line.firstIndex(of: " ") else { continue }
            let text = String(line[line.index(after: space)...])
            switch line[..<space] {
            case "means": words.meaning = text
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
    init?(_ text: [UInt8]) {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
            let space = FailureCode.Space(rawValue: String(decoding: text[..<colon], as: UTF8.self)),
            let number = CodeNumber.parse(text[(colon + 1)...], in: space)
        else { return nil }
        self.init(space, number)
    }
}
