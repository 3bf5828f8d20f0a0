/// A product of somebody else that writes into SharePoint's logs under an area of its own.
enum ForeignProduct {
    fileprivate static let id = "foreign-product"

    /// Returns a component for an area that is none of Microsoft's; `nil` if it may be one.
    ///
    /// Few products have an entry. Whoever reads the report must know that the row is not SharePoint's, and whom to ask.
    static func find(area: String?) -> FoundComponent? {
        guard let area = area?.trimmedASCII, isForeign(area) else { return nil }
        let component = Component(
            id: id,
            name: "\(area), a product that is not part of SharePoint",
            purpose: "writes rows under an area of its own",
            needs: ["its solutions on all servers, of a version that fits"],
            checks: [
                Check(
                    "Solutions and where they are deployed",
                    command: "Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult"
                ),
                Check("The same request from its beginning", command: "fastctl logs trace CORRELATION LOGS"),
            ],
            isGeneric: false
        )
        return FoundComponent(component: component, evidence: .category(area))
    }

    /// True for a name of letters that begins with no word of Microsoft's areas and is said to be for SharePoint, or that is
    /// a name of a company or an assembly: one with a dot in it.
    ///
    /// A paste without columns may have anything in place of its area, so a single unknown word is not enough.
    private static func isForeign(_ area: String) -> Bool {
        guard (4...64).contains(area.utf8.count), area.first?.isLetter == true,
            area.allSatisfy({ $0.isLetter || $0.isNumber || " .-_&".contains($0) })
        else { return false }
        let first = area.prefix { $0.isLetter || $0.isNumber }
        guard !own.contains(first.lowercased()), !area.lowercased().hasSuffix(".exe") else { return false }
        let name = area.prefix { $0 != " " }
        return area.hasSuffix(" for SharePoint") || name.dropLast().dropFirst().contains(".")
    }

    /// First words of the areas of SharePoint, of Office, and of what Microsoft installs beside them.
    private static let own: Set<String> = [
        "sharepoint", "microsoft", "office", "windows", "sql", "fast", "search", "power", "powerpivot", "powerpoint",
        "excel", "word", "visio", "access", "infopath", "project", "reporting", "system", "owstimer", "w3wp",
    ]
}

extension Component {
    /// Whether its name holds words of the row: the area of a product that nobody has described.
    public var isNamedByRow: Bool { id == ForeignProduct.id }
}

extension String {
    fileprivate var trimmedASCII: String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
