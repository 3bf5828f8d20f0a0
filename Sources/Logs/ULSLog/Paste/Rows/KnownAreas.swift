/// The areas that SharePoint and its neighbours write.
///
/// Where blanks replaced the tabs, nothing else tells where an area ends and a category begins. Source: the areas that
/// `Get-SPLogLevel` lists from SharePoint 2010 to 2019, those of Windows SharePoint Services 3.0 and of Office Online
/// Server, and common products beside them.
enum KnownAreas {
    private static let names = [
        "Access Services", "Access Services 2010", "Business Connectivity Services", "DistributedCache",
        "Document Conversions", "Document Management Server", "Education", "Excel Services Application",
        "Hosted Office Online", "Hosted Services Infrastructure", "InfoPath Forms Services", "LDAPCP",
        "Office Automation Services", "Office Server", "Office Services Infrastructure", "Office Web Apps",
        "Patterns and Practices", "PerformancePoint Service", "PowerPivot Service", "Project Server",
        "SPO Diagnostics", "SQL Server Reporting Services", "SSAS Mid-Tier Service", "Search", "Secure Store Service",
        "Services Infrastructure", "SharePoint Express", "SharePoint Foundation", "SharePoint Foundation Search",
        "SharePoint Portal Server", "SharePoint Server", "SharePoint Server Search",
        "SharePoint Translation Services", "Unified Logging Service", "Unknown", "Visio Graphics Service",
        "Web Content Management", "Windows SharePoint Services", "Word Automation Services", "eApproval",
    ]

    /// Longest first: `SharePoint Server Search` is not `SharePoint Server` with a category `Search …`.
    private static let longestFirst = names.map { Array($0.utf8) }.sorted { $0.count > $1.count }

    /// The areas that `text` may begin with at `start`, longest first; a blank or the end follows.
    static func ends(in text: [UInt8], from start: Int, to end: Int) -> [Int] {
        longestFirst.compactMap { name in
            let nameEnd = start + name.count
            guard nameEnd <= end, text.hasPrefix(name, at: start) else { return nil }
            return nameEnd == end || text.blankWidth(at: nameEnd) > 0 ? nameEnd : nil
        }
    }
}
