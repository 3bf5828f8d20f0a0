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
