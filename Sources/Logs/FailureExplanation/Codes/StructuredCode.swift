/// A number of 32 bits that says by its parts who failed: an HRESULT or an NTSTATUS.
struct StructuredCode {
    private let number: UInt64

    /// `nil` for numbers of another size and for those that report success.
    init?(_ number: UInt64) {
        guard number > 0x7FFF_FFFF, number <= 0xFFFF_FFFF else { return nil }
        self.number = number
    }

    private var facility: UInt64 { number >> 16 & 0x7FF }
    private var low: UInt64 { number & 0xFFFF }
    private var isNTStatus: Bool { number >> 30 == 3 }

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
        spaces += [.clr, .search, .wmi, .ntstatus].filter { tables.entry(number, $0) != nil }
        return spaces.isEmpty ? likelySpace.map { [$0] } ?? [] : spaces
    }

    /// Which space a number belongs to that no table has; `nil` for what is more likely an address or a mask.
    private var likelySpace: FailureCode.Space? {
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
        if isNTStatus { return "An NTSTATUS of the severity error, facility \(facility), code \(low)." }
        let owner = Self.facilities[facility].map { "\(facility) (\($0))" } ?? "\(facility)"
        return "An error of facility \(owner), code \(low); the tables have no name for it."
    }

    /// Facilities by winerror.h; SharePoint's by the numbers that it throws.
    private static let facilities: [UInt64: String] = [
        0: "general", 1: "RPC", 2: "Automation", 3: "structured storage", 4: "the interface's own", 8: "Windows",
        9: "security", 10: "control", 11: "certificates", 12: "internet", 13: "media server", 14: "MSMQ",
        15: "setup", 16: "smart cards", 17: "COM+", 19: ".NET", 23: "side by side", 32: "background copy",
        33: "configuration", 35: "metadirectory", 36: "Windows Update", 37: "directory service",
        0x102: "SharePoint", 0x107: "SharePoint",
    ]
}

/// A mask of SharePoint's permissions.
enum PermissionMask {
    private static let all: UInt64 = 0x7FFF_FFFF_FFFF_FFFF

    /// The mask with the names of its rights; `nil` if it has none.
    static func code(_ mask: UInt64) -> FailureCode? {
        guard mask != 0 else { return nil }
        if let entry = CodeTables.builtIn.entry(mask, .permission) { return FailureCodes.code(entry) }
        var rest = mask
        var names: [String] = []
        for entry in CodeTables.builtIn.entries(of: .permission) where entry.number != all && mask & entry.number != 0 {
            names.append(CodeTables.builtIn.name(of: entry))
            rest &= ~entry.number
        }
        if rest != 0 { names.append("0x" + String(rest, radix: 16, uppercase: true)) }
        return FailureCodes.filled(mask, .permission, names.joined(separator: ", "))
    }
}
