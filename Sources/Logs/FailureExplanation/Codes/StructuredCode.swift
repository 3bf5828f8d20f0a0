/// A number of 32 bits that says by its parts who failed: an HRESULT, an NTSTATUS or the code of an exception.
///
/// The first bit is set in all of them. The second is set in an NTSTATUS; HRESULTs of MSXML and of Windows Media have it too,
/// and are known by their facility, which NTSTATUS have not. The third one marks what is not Microsoft Windows' own.
struct StructuredCode {
    private let number: UInt64

    /// `nil` for numbers of another size and for those that report success.
    init?(_ number: UInt64) {
        guard number > 0x7FFF_FFFF, number <= 0xFFFF_FFFF else { return nil }
        self.number = number
    }

    private var facility: UInt64 { number >> 16 & 0x7FF }
    private var low: UInt64 { number & 0xFFFF }
    private var isNTStatus: Bool { number >> 30 == 3 && !isOfMedia }
    /// The bit that says that a program made the number up.
    private var isOfCustomer: Bool { number & 0x2000_0000 != 0 }
    /// An HRESULT of the facilities 12 and 13 with both bits of severity: MSXML and Windows Media.
    private var isOfMedia: Bool { [0xC00C, 0xC00D].contains(number >> 16) }
    /// Each interface has numbers of its own here, and components reuse them.
    private var isOfInterface: Bool { number >> 16 == 0x8004 }

    /// The code of another space that this one wraps.
    var inner: CodeKey? {
        if number >> 28 == 0xD { return CodeKey(.ntstatus, number & ~0x1000_0000) }
        guard !isNTStatus else { return nil }
        return facility == 7 ? CodeKey(.win32, low) : facility == 25 ? CodeKey(.http, low) : nil
    }

    /// The spaces that know the number, the one that says most first; for a number that no table has, the likely one.
    var knownSpaces: [FailureCode.Space] {
        let tables = CodeTables.builtIn
        var spaces = [.sharepoint, .hresult].filter { tables.entry(number, $0) != nil }
        // An HRESULT that wraps a code with a name says as much as one with a name of its own.
        let wraps = inner.map { tables.entry($0.number, $0.space) != nil } ?? false
        if wraps, !spaces.contains(.hresult) { spaces.append(.hresult) }
        if isOfInterface {
            // Whose it is the number alone does not say.
            if spaces.isEmpty, !users.isEmpty { spaces.append(.hresult) }
        } else {
            spaces += [.search, .wmi].filter { tables.entry(number, $0) != nil }
        }
        spaces += [.clr, .ntstatus, .exception].filter { tables.entry(number, $0) != nil }
        return spaces.isEmpty ? likelySpace.map { [$0] } ?? [] : spaces
    }

    /// The spaces that know the number, for somebody who asks for it: all components that use it, whosever it is.
    var spacesToTell: [FailureCode.Space] {
        let isNamed = CodeTables.builtIn.entry(number, .hresult) != nil
        return users.isEmpty ? knownSpaces : knownSpaces.filter { $0 != .hresult || isNamed } + users
    }

    /// The space of the number in a text about `subjects`; `nil` for what is more likely an address or a mask.
    func space(_ subjects: @autoclosure () -> TextSubjects) -> FailureCode.Space? {
        let known = knownSpaces.first
        let tables = CodeTables.builtIn
        if isOfInterface, tables.entry(number, .hresult) == nil, !users.isEmpty {
            let subjects = subjects()
            let users = users.filter { $0 == .wmi ? subjects.contains(.wmi) : subjects.contains(.search) }
            return users.count == 1 ? users[0] : known
        }
        // The same number is a file's in Windows, and an assembly's in .NET.
        if known == .hresult, inner?.space == .win32, tables.entry(number, .clr) != nil, subjects().contains(.assembly)
        {
            return .clr
        }
        return known
    }

    /// The space of a number that no table has, where the text says that it is a code.
    var saidSpace: FailureCode.Space { isNTStatus ? isOfCustomer ? .exception : .ntstatus : .hresult }

    /// True if no table has the number and its parts tell nothing either, as of an NTSTATUS without a name: then "facility 0,
    /// code 3000" would only be the number again.
    var saysNothing: Bool {
        guard inner == nil, !isOfCustomer, facility == 0 || isNTStatus || Self.facilities[facility] == nil else {
            return false
        }
        return FailureCode.Space.allCases.allSatisfy { CodeTables.builtIn.entry(number, $0) == nil }
    }

    /// The components that have this number of an interface in their tables.
    private var users: [FailureCode.Space] {
        isOfInterface ? [.search, .wmi].filter { CodeTables.builtIn.entry(number, $0) != nil } : []
    }

    /// Which space a number belongs to that no table has; `nil` for what is more likely an address or a mask.
    private var likelySpace: FailureCode.Space? {
        if isOfCustomer { return nil }
        if facility == 0x102 || facility == 0x107, !isNTStatus { return .sharepoint }
        if number >> 16 == 0x8013 { return .clr }
        if number >> 28 == 0xD { return .hresult }
        if isNTStatus { return number >> 16 & 0x0FFF <= 0x2A ? .ntstatus : nil }
        return number >> 16 <= 0x80FF ? .hresult : nil
    }

    /// What the parts of the number say, as a code of `space`.
    func decoded(in space: FailureCode.Space) -> FailureCode {
        let tables = CodeTables.builtIn
        let name = inner.flatMap { tables.entry($0.number, $0.space) }.map { tables.name(of: $0) }
        var code = FailureCodes.filled(number, space, name)
        if code.meaning == nil { code.meaning = sentence }
        return code
    }

    private var sentence: String {
        if let inner {
            switch inner.space {
            case .win32: return "Windows error \(inner.number), as an HRESULT."
            case .http: return "HTTP status \(inner.number), as an HRESULT."
            default: return "NTSTATUS \(CodeNumber.spelled(inner.number, in: .ntstatus)), as an HRESULT."
            }
        }
        if isOfCustomer {
            return
                "A code that a program made up for itself (the customer bit is set): none of Windows', nor of .NET's."
        }
        if isNTStatus { return "An NTSTATUS of the severity error, facility \(number >> 16 & 0xFFF), code \(low)." }
        if !users.isEmpty {
            let names = users.compactMap { space in
                CodeTables.builtIn.entry(number, space).map { "\(CodeTables.builtIn.name(of: $0)) (\(space.rawValue))" }
            }
            return "Each component has numbers of its own here, and the text does not say whose this is. "
                + "It may be \(names.joined(separator: " or "))."
        }
        let owner = Self.facilities[facility].map { "\(facility) (\($0))" } ?? "\(facility)"
        return "An error of facility \(owner), code \(low); the tables have no name for it."
    }

    /// Facilities by winerror.h; SharePoint's by the numbers that it throws.
    private static let facilities: [UInt64: String] = [
        0: "general", 1: "RPC", 2: "Automation", 3: "structured storage", 4: "the interface's own", 8: "Windows",
        9: "security", 10: "control", 11: "certificates", 12: "internet and MSXML", 13: "media", 14: "MSMQ",
        15: "setup", 16: "smart cards", 17: "COM+", 19: ".NET", 23: "side by side", 32: "background copy",
        33: "configuration", 35: "metadirectory", 36: "Windows Update", 37: "directory service",
        0x102: "SharePoint", 0x107: "SharePoint",
    ]
}

/// What a text is about, where that tells whose number it has.
struct TextSubjects: OptionSet, Sendable {
    let rawValue: UInt8

    static let wmi = TextSubjects(rawValue: 1)
    static let search = TextSubjects(rawValue: 2)
    static let assembly = TextSubjects(rawValue: 4)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reads a text, and what is known of it beside that.
    init(_ text: [UInt8], beside words: String) {
        self = []
        let text = Surroundings(text[...])
        let words = Surroundings(Array(words.utf8)[...])
        if text.has(["wmi", "wbem", "managementexception", "root\\cimv2", "win32_"]) { insert(.wmi) }
        if words.has(["search", "mss", "crawl"]) || text.has(Self.wordsOfSearch) { insert(.search) }
        if text.has(["file or assembly", "datei oder assembly", "fichier ou l'assembly"]) { insert(.assembly) }
    }

    private static let wordsOfSearch = [
        "crawl", "gatherer", "start address", "startaddress", "content source", "protocol handler", "mssearch",
        "mssdmn", "content access account", "durchforst", "startadresse",
    ]
}
