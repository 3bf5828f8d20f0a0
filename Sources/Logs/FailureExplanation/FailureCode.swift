/// A code of a failure, as the table of its space names it.
public struct FailureCode: Sendable, Hashable {
    /// Whose numbers these are: the same number means different things in different spaces.
    public enum Space: String, Sendable, Hashable, CaseIterable {
        case win32, hresult, ntstatus, clr, ldap, wmi, x509, http, kerberos, sql, search, sharepoint
        /// Microsoft Entra ID, which writes `AADSTS` before its numbers.
        case entra
        /// Windows Identity Foundation, which writes `ID` before its numbers.
        case wif
        case permission
        case userRight = "user-right"
        /// Codes of exceptions that a program raises itself, such as .NET's runtime: no NTSTATUS of Windows.
        case exception
        /// Sentences that stand for no number; theirs are only those of our table.
        case sentence
    }

    /// What is the same for several codes, so that a component can say what it comes from there.
    package enum Kind: String, Sendable {
        /// "Access denied" and nothing else.
        case refusal
        /// A path that Windows refused, whatever the component.
        case refusedFile = "refused-file"
        /// A file or an assembly that is not there.
        case absence
        /// An answer that was a page in HTML.
        case page
        /// That something failed, and no more: any failure may have it, so what it comes from is told where nothing says more.
        case vague
        /// That code met what it did not expect, and no more.
        case unexpected

        /// Whether other codes beside it tell more.
        var tellsLittle: Bool { self == .vague || self == .unexpected }
    }

    public var space: Space
    /// The number without a sign: 0x80070005 and -2147024891 are the same.
    ///
    /// A substatus or a state is in it, see ``plain``.
    public var number: UInt64
    /// Its name in the headers of its space; `nil` where only the parts of the number are known.
    public var name: String?
    /// What it says, in one sentence; `nil` where nobody has written one down.
    public var meaning: String?
    /// What it has in common with others; `nil` for most.
    package var kind: Kind?
    /// The ID of the component that alone writes the sentence; `nil` for most.
    var component: String?
    /// What it most often comes from in a SharePoint farm, the usual one first.
    public var causes: [String]
    /// What to look at next.
    public var checks: [Check]

    public init(
        space: Space,
        number: UInt64,
        name: String? = nil,
        meaning: String? = nil,
        causes: [String] = [],
        checks: [Check] = []
    ) {
        self.space = space
        self.number = number
        self.name = name
        self.meaning = meaning
        self.causes = causes
        self.checks = checks
    }
}

/// One thing to look at that changes nothing.
public struct Check: Sendable, Hashable {
    /// What to find out, as a sentence.
    public var text: String
    /// A command that shows it and changes nothing; `nil` where there is none.
    public var command: String?

    public init(_ text: String, command: String? = nil) {
        self.text = text
        self.command = command
    }
}

/// A code in a text, and what gives it away.
public struct FoundCode: Sendable, Hashable {
    /// A phrase is a known sentence in place of a number; it never outranks one.
    public enum Evidence: String, Sendable, Hashable { case number, name, phrase }

    public var code: FailureCode
    public var evidence: Evidence
    /// Where it stands, in UTF-8 bytes.
    public var range: Range<Int>

    public init(code: FailureCode, evidence: Evidence, range: Range<Int>) {
        self.code = code
        self.evidence = evidence
        self.range = range
    }
}
