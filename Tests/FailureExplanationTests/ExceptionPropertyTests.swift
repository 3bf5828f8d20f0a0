import FailureExplanation
import Testing

/// Generated chains, written in every form and truncated at every byte.
struct ExceptionPropertyTests {
    @Test(arguments: ExceptionForm.allCases, 0..<12)
    func `A generated chain is read back unchanged`(form: ExceptionForm, seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed) &* 7919 &+ UInt64(form.rawValue))
        let made = MadeChain(form, using: &random)
        let chains = ExceptionText.chains(in: made.text)
        try #require(chains.count == 1, "\(made.text)\n\(chains)")
        #expect(chains[0].links.map { $0.type ?? "-" } == made.types.map { $0 ?? "-" }, "\(made.text)")
        #expect(chains[0].frames.map(\.name) == made.frames, "\(made.text)")
        if let last = made.messages.last { #expect(chains[0].innermost.message == last, "\(made.text)") }
    }

    @Test(arguments: ExceptionForm.allCases, 0..<4)
    func `Truncating a chain can remove types and frames, but not change them`(form: ExceptionForm, seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed) &* 104_729 &+ UInt64(form.rawValue))
        let made = MadeChain(form, using: &random)
        let whole = try #require(ExceptionText.chains(in: made.text).first)
        let (types, frames) = (Set(made.types.compactMap(\.self)), Set(made.frames))
        let bytes = Array(made.text.utf8)
        for count in 0...bytes.count {
            let text = String(decoding: bytes[..<count], as: UTF8.self)
            let chains = ExceptionText.chains(in: text)
            try #require(chains.count <= 1, "\(text)")
            guard let chain = chains.first else { continue }
            try #require(Set(chain.links.compactMap(\.type)).isSubset(of: types), "\(text)\n\(chain)")
            try #require(chain.frames.allSatisfy { frames.contains($0.name) }, "\(text)\n\(chain)")
            try #require(chain.range.lowerBound == whole.range.lowerBound)
            // The part before the cut is read in the same way; only an error page is read from its other end.
            guard form != .errorPage else { continue }
            for (part, all) in zip(chain.links, whole.links) {
                try #require(part.type == nil || part.type == all.type)
                try #require(all.frames.starts(with: part.frames), "\(text)\n\(chain)")
            }
        }
    }

    @Test(arguments: 0..<40)
    func `Any mixture of fragments is read without a crash, and all results occur in the text`(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        let pieces = [
            "System.Exception", ": ", "---> ", "at ", "A.B.C", "(", ")", "[", "]", "\n",
            "--- End of inner exception ---",
            " +12", "Error=", "Exception: ", "ExceptionType: '", "' ", "à ", "bei ", "`1", "ü", "\t", "(0x80004005)",
            "<", "..",
            "value is:", "StackTrace:", "\u{201C}", "01/02/2024 ",
        ]
        for _ in 0..<200 {
            let text = (0..<random.below(30)).map { _ in pieces[random.below(pieces.count)] }.joined()
            for chain in ExceptionText.chains(in: text) {
                for link in chain.links {
                    #expect(link.type.map(text.contains) ?? true, "\(text)")
                    #expect(link.frames.allSatisfy { text.contains($0.name) }, "\(text)")
                    #expect(link.message.isEmpty || text.contains(link.message), "\(text)")
                }
            }
        }
    }
}

/// The forms in which chains are written.
enum ExceptionForm: Int, CaseIterable {
    case trace, oneLine, german, french, errorPage, fault, untyped, quoted, ticket
}

/// A chain with the expected result.
private struct MadeChain {
    var text = ""
    /// The exceptions, from the outermost to the innermost.
    var types: [String?] = []
    var messages: [String] = []
    /// The frames, from the place where the exception was thrown outward.
    var frames: [String] = []

    init(_ form: ExceptionForm, using random: inout SplitMix) {
        let depth = form == .untyped || form == .quoted ? 1 : 1 + random.below(4)
        for level in 0..<depth {
            types.append(form == .untyped ? nil : random.type(isGeneric: form == .fault && level == 0))
            messages.append(random.message())
        }
        let traces = (0..<depth).map { _ in (0..<1 + random.below(4)).map { _ in random.method() } }
        frames = traces.flatMap(\.self)
        let word = form == .german ? "bei" : form == .french ? "à" : "at"
        let separator =
            form == .oneLine || form == .untyped || form == .quoted ? "   " : form == .ticket ? "\n>   " : "\n   "
        let end =
            form == .german
            ? "Ende der internen Ausnahmestapelüberwachung"
            : form == .french
                ? "Fin de la trace de la pile d'exception interne"
                : form == .fault ? "End of inner ExceptionDetail stack trace" : "End of inner exception stack trace"
        func trace(_ names: [String]) -> String {
            names.map { name in
                form == .errorPage
                    ? "\(separator)\(name)(String a, List`1 b) +\(name.utf8.count)"
                    : "\(separator)\(word) \(name)(String a, List`1 b)"
                        + (name.hasSuffix("d") ? " in C:\\a b\\c.cs:line 7" : "")
            }
            .joined()
        }
        switch form {
        case .untyped: text = "Application error when access /x, Error=\(messages[0])" + trace(traces[0])
        case .quoted:
            text =
                "ExceptionType: '\(types[0] ?? "")'   ExceptionMessage: '\(messages[0])'   StackTrace: '\(trace(traces[0]))'"
        case .errorPage:
            for level in (0..<depth).reversed() {
                text +=
                    "[\(types[level] ?? "") (0x80004005): \(messages[level])]" + trace(traces[depth - 1 - level])
                    + "\n\n"
            }
        default:
            for level in 0..<depth {
                if level > 0 {
                    text +=
                        form == .fault && level == 1
                        ? " (Fault Detail is equal to An ExceptionDetail, whose value is:\n"
                        : form == .fault ? " ----> " : " ---> "
                }
                // The text after the backquote is the argument of a generic type.
                let type = types[level] ?? ""
                text +=
                    type + (type.contains("`") ? "[[System.X, y]]" : "") + (random.below(2) == 0 ? " (0x80070005)" : "")
                text += ": " + messages[level]
            }
            text += traces.enumerated().map { level, names in
                trace(names) + (level < depth - 1 ? "\(separator)--- \(end) ---" : "")
            }
            .joined()
        }
        text += form == .quoted ? " " : "\n"
    }
}

/// Random numbers that are the same for the same seed.
private struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func one(_ words: [String]) -> String { words[below(words.count)] }

    mutating func type(isGeneric: Bool) -> String {
        if isGeneric { return "System.ServiceModel.FaultException`1" }
        return one(["System.", "Microsoft.SharePoint.", "Contoso.Ünter.", "A.B.C."])
            + one(["IO", "Null", "Some_Odd", "X9"]) + "Exception"
    }

    mutating func method() -> String {
        one(["System.Web.UI.", "Microsoft.SharePoint.", "Contoso.", "Müller.App."])
            + one(["Page", "Foo.<>c__DisplayClass2", "List`1", "Outer+Inner"]) + "."
            + one(["Load", ".ctor", "<Run>b__0", "get_Field", "MoveNextd"])
    }

    mutating func message() -> String {
        one([
            "Object reference not set to an instance of an object.", "Access to the path 'C:\\a (b)' is denied.",
            "Größe – „zu“ klein: 5", "Login failed for user 'A\\B'. (state 5)", "The file (x) at place 7 is gone", "a",
        ]) + " #\(below(1000))"
    }
}
