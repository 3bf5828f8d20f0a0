/// What it comes from that a product's own code threw because it met what it did not expect.
///
/// Such an exception tells nothing of the farm by itself. What helps is the version, and what was missing.
struct ProductFault {
    /// What it mostly comes from.
    let cause: String
    /// How to find the version; `nil` if it is not known who threw.
    let check: Check?

    /// Reads who threw; there is no fault to tell of if custom code did, or called what did.
    ///
    /// - Parameters:
    ///   - chain: The exception that tells most, whose code is one of ``FailureCode/Kind/unexpected``.
    ///   - place: The component; where there are no frames, a message that is its own tells whose code it is.
    init?(_ chain: ExceptionChain?, _ place: FoundComponent?) {
        guard let chain, let thrower = chain.firstBeyondRuntime else {
            guard case .message = place?.evidence, chain?.frames.isEmpty != false else { return nil }
            (cause, check) = (Self.cause(owner: "The product's own code"), nil)
            return
        }
        let foreign = chain.firstBeyondMicrosoft
        // A known product of somebody else is a component.
        if let foreign, Components.find(frames: [foreign]) == nil { return nil }
        let isOfSharePoint = foreign == nil && Self.sharePoint.contains { thrower.name.hasPrefix($0) }
        cause = Self.cause(owner: isOfSharePoint ? "SharePoint's own code" : "The product's own code")
        check = Self.check(of: foreign ?? thrower, isOfSharePoint: isOfSharePoint)
    }

    private static func cause(owner: String) -> String {
        "\(owner) met what it did not expect: something that was deleted or only half created, a setting that is missing, or a "
            + "fault of this version that a later one corrects."
    }

    private static func check(of frame: StackFrame, isOfSharePoint: Bool) -> Check {
        if isOfSharePoint {
            return Check(
                "The build of the farm, to compare with what later updates correct",
                command: "(Get-SPFarm).BuildVersion"
            )
        }
        if frame.name.hasPrefix("Microsoft.ApplicationServer.Caching.") {
            let folder = #"C:\Program Files\AppFabric 1.1 for Windows Server"#
            return Check(
                "The version of AppFabric, to compare with its cumulative updates",
                command:
                    #"Get-ChildItem '\#(folder)' -Recurse -Filter Microsoft.ApplicationServer.Caching.Configuration.dll | "#
                    + "ForEach-Object { $_.VersionInfo.ProductVersion }"
            )
        }
        let names = frame.name.split(separator: ".").prefix(frame.isMicrosoft ? 2 : 1).joined(separator: ".")
        return Check(
            "The version of the assembly, to compare with what later versions correct",
            command:
                #"Get-ChildItem C:\Windows\Microsoft.NET\assembly, C:\Windows\assembly -Recurse -Filter \#(names)*.dll | "#
                + "Select-Object Name, @{n='Version'; e={$_.VersionInfo.FileVersion}}"
        )
    }

    private static let sharePoint = ["Microsoft.SharePoint.", "Microsoft.Office.Server."]
}
