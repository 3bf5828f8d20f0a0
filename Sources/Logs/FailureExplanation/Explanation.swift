import TextKit

/// The explanation of a failure that no rule covers.
///
/// Its parts are kept separate. What is *decoded* is certain: the meaning of a code. *During* gives the activity, and
/// *where* the component that the text points to, which is likely if frames or columns indicate it, and only possible
/// if words do. A *cause* is given only if a table entry names the very object in the text, so there may be none.
package struct Explanation: Sendable, Equatable {
    /// The meanings of the codes in the text, which are certain.
    package var decoded: [FoundCode]
    /// The activity: certain because of a frame, or likely because of words that only it writes.
    package var activity: FoundActivity?
    /// The component that the text concerns; likely, or only possible if the text merely mentions it.
    package var place: FoundComponent?
    /// The first frame of custom or third-party code, which is always worth checking.
    package var foreignFrame: StackFrame?
    /// The exceptions in the text, without duplicates.
    package var chains: [ExceptionChain]
    /// The failure, broken down into slots, with the advice that fits them.
    package var frame: FailureFrame
    /// The usual causes of this combination of failure, object, component and actor.
    package var usually: [String]
    /// Causes that a code's entry names together with the object concerned, or custom code whose call was refused.
    package var causes: [String]
    /// The recommended checks without duplicates: those of the codes first, then those of the component.
    package var checks: [Check]

    /// The most informative chain: the first one with a type, because a chain without a type may repeat an earlier one.
    package var chain: ExceptionChain? { Self.best(of: chains) }

    /// The most informative exception.
    package var exception: ExceptionChain.Link? { chain?.headline }

    /// True if nothing in the text was recognized.
    package var isEmpty: Bool { decoded.isEmpty && place == nil && chains.isEmpty && frame.isEmpty }

    /// Explains a text: the message of a row, with all its parts joined, or another description of a failure.
    ///
    /// - Parameters:
    ///   - text: The text; anything beyond ``ExceptionText/maximumBytes`` is not read.
    ///   - area: The area of the row, if the text is from a row.
    ///   - category: The category of the row.
    ///   - process: The process of the row.
    package init(of text: String, area: String? = nil, category: String? = nil, process: String? = nil) {
        let text = String(text.prefix(bytes: ExceptionText.maximumBytes))
        let columns = [area, category, process].compactMap(\.self).joined(separator: " ")
        let words = FrameText(text)
        // A code in the title of a document, in a path or in an address proves nothing.
        decoded = Self.withoutVagueRefusals(
            FailureCodes.find(in: text, beside: columns).filter {
                !words.isInName($0.range) && !words.isNumbering($0.range)
            }
        )
        chains = Self.each(ExceptionText.chains(in: text))
        let facts = StatedFacts(text)
        for index in decoded.indices where !facts.isEmpty { decoded[index].code.heed(facts) }
        frame = FailureFrame(words, chains, decoded, process: process)
        if frame.isHarmless, chains.allSatisfy(\.frames.isEmpty) { (decoded, chains) = ([], []) }
        place = Components.find(
            frames: chains.flatMap(\.frames),
            types: chains.flatMap { $0.links.reversed().compactMap(\.type) },
            area: area,
            category: category,
            process: process,
            text: text
        )
        activity = Activities.find(in: text, chains, decoded)
        foreignFrame =
            Self.best(of: chains)?.firstBeyondMicrosoft ?? chains.lazy.compactMap(\.firstBeyondMicrosoft).first
        causes = []
        usually = []
        checks = []
        for found in decoded where found.evidence == .phrase {
            guard let id = found.code.component else { continue }
            takePlace(of: id, .message(String(decoding: Array(text.utf8)[found.range], as: UTF8.self)))
            break
        }
        if let activity, let id = activity.activity.component {
            switch activity.evidence {
            case .frame(let frame): takePlace(of: id, .frame(frame.name))
            case .text(let words): takePlace(of: id, .message(words))
            }
        }
        if let component = frame.component {
            // A noun on its own is only a mention.
            switch (component.certainty, place?.evidence) {
            case (.likely, _): takePlace(of: component.value, .message(component.evidence))
            case (_, nil), (_, .process): takePlace(of: component.value, .text(component.evidence))
            default: break
            }
        }
        // The sentence names a file or folder, so other codes in the text do not concern rights in SharePoint.
        if let file = decoded.first(where: { $0.code.kind == .refusedFile }) {
            for index in decoded.indices where decoded[index].code.kind == .refusal {
                (decoded[index].code.causes, decoded[index].code.checks) = (Array(file.code.causes.prefix(1)), [])
            }
        }
        explainVagueCodes()
        if let refused = RefusedArgument(chain), decoded.allSatisfy({ $0.code.meaning == nil }) {
            // The component that was called behaved correctly.
            place = nil
            causes = [refused.cause]
        }
        frame.advise(place?.component, decoded)
        if let remedy = frame.remedy { add([Check("The message itself advises: \(remedy.value)")]) }
        // A product's own sentence or code is more specific than the usual causes in a component.
        let isOfProduct = decoded.contains { found in
            found.code.space.isOfProducts && found.code.kind == nil
                && !(found.code.causes.isEmpty && found.code.checks.isEmpty)
        }
        let isFitting = { (advice: FrameAdvice) in
            isOfProduct ? advice.isForComponent && !advice.checks.isEmpty : advice.isSpecific
        }
        if let advice = frame.advice.first(where: isFitting) {
            usually = advice.causes
            // The usual causes of a code in any component are less specific.
            for index in decoded.indices {
                decoded[index].code.causes = []
                // A component with its own causes also has the best checks.
                let isBare = [.refusal, .absence].contains(decoded[index].code.kind)
                if advice.checks.isEmpty, isBare { decoded[index].code.checks = [] }
            }
            add(advice.checks)
        }
        let names = words.names.map(\.text).filter(Self.isDistinctive)
        // The activity explains the causes of a refusal.
        if activity?.isSpecific == true {
            for index in decoded.indices where [.refusal, .absence].contains(decoded[index].code.kind) {
                decoded[index].code.causes = []
            }
        }
        // The page is from a web server rather than the service, so the reason for that server's response comes first.
        for page in decoded where page.code.kind == .page { add(page.code.checks) }
        if activity?.isSpecific == true { add(activity?.activity.checks ?? []) }
        for found in decoded {
            // A cause that names one of the objects concerns this failure, not the code in general.
            causes += found.code.causes.filter { !causes.contains($0) && names.contains(where: $0.contains) }
            add(found.code.checks)
        }
        if frame.advice.first?.checks.isEmpty == true { add(place?.component.checks ?? []) }
        add(activity?.activity.checks ?? [])
        add(place?.component.checks ?? [])
        let isReached = decoded.contains { $0.code.isOfStatement || $0.code.spelled == "-2" && isExecuting }
        // The text itself answers some checks.
        checks.removeAll {
            isReached && $0.isOfConnection || !facts.isEmpty && facts.affirms("\($0.text) \($0.command ?? "")")
        }
    }

    /// True if a statement was running, so that SQL Server had been reached.
    private var isExecuting: Bool { chains.flatMap(\.frames).contains { $0.name.contains("SqlCommand.") } }

    /// Uses the component of a sentence or an activity, unless a frame or a type indicates a different one.
    private mutating func takePlace(of id: String, _ evidence: FoundComponent.Evidence) {
        switch place?.evidence {
        case .frame, .exceptionType: guard place?.component.isGeneric == true else { return }
        default: break
        }
        guard let component = ComponentMap.builtIn.entry(withID: id)?.component else { return }
        place = FoundComponent(component: component, evidence: evidence)
    }

    /// Gives the causes of unspecific codes if nothing else explains the failure; for unexpected states, the origin of
    /// the exception.
    private mutating func explainVagueCodes() {
        let isTold = decoded.contains { $0.code.kind?.tellsLittle != true && $0.code.meaning != nil }
        let fault = ProductFault(Self.best(of: chains), place)
        for index in decoded.indices where decoded[index].code.kind?.tellsLittle == true {
            if isTold { (decoded[index].code.causes, decoded[index].code.checks) = ([], []) }
            guard let fault, decoded[index].code.kind == .unexpected else { continue }
            if !isTold { decoded[index].code.causes = [fault.cause] }
            if let check = fault.check { decoded[index].code.checks.append(check) }
        }
    }

    /// Drops "Access is denied" if there is a more specific number, such as 0x80041205 of the crawler.
    private static func withoutVagueRefusals(_ found: [FoundCode]) -> [FoundCode] {
        let isTold = found.contains { found in
            found.evidence == .number && found.code.space != .clr && found.code.meaning != nil
                && found.code.number != FailureCode.unspecified && found.code.kind != .refusal
        }
        return isTold ? found.filter { $0.evidence != .phrase || $0.code.kind != .refusal } : found
    }

    private static func best(of chains: [ExceptionChain]) -> ExceptionChain? {
        chains.first { $0.headline.type != nil } ?? chains.first
    }

    /// Returns false for a plain word, which may occur in any sentence.
    private static func isDistinctive(_ name: String) -> Bool {
        (4...200).contains(name.utf8.count)
            && name.dropFirst().contains { $0.isUppercase || "0123456789_./\\".contains($0) }
    }

    private mutating func add(_ more: [Check]) {
        for check in more where !checks.contains(where: { $0.isSame(as: check) }) { checks.append(check) }
    }

    /// Returns the chains without repeats of the same exception.
    private static func each(_ chains: [ExceptionChain]) -> [ExceptionChain] {
        var seen: Set<String> = []
        return chains.filter { seen.insert($0.identity).inserted }
    }
}

/// A call from custom code with an argument that the called method does not accept.
private struct RefusedArgument {
    let cause: String

    init?(_ chain: ExceptionChain?) {
        guard let chain, let type = chain.headline.type, Self.types.contains(StackFrame.lastName(of: type)) else {
            return nil
        }
        let frames = chain.frames.lazy.filter { !$0.isRuntime }.prefix(2)
        guard let method = frames.first, let caller = frames.dropFirst().first, method.isMicrosoft, !caller.isMicrosoft
        else { return nil }
        cause = "\(caller.name) called \(method.name) with an argument that it rejects; the message has details."
    }

    private static let types = "ArgumentException ArgumentNullException ArgumentOutOfRangeException".wordSet
}

extension FailureCode {
    /// E_FAIL, which adds nothing if anything else is known.
    package static let unspecified: UInt64 = 0x8000_4005
}

extension Check {
    /// Returns true if both are the same check: checks with the same command are the same, regardless of their
    /// sentences.
    func isSame(as other: Check) -> Bool {
        if let command, let theirs = other.command { return command.lowercased() == theirs.lowercased() }
        return self == other
    }
}

/// The cause of an exception thrown by a product's own code when it encountered an unexpected state.
///
/// An exception of this kind reveals nothing about the farm; only the version and the missing object help.
struct ProductFault {
    /// The most common cause.
    let cause: String
    /// The check for the version; `nil` if the thrower is not known.
    let check: Check?

    /// Determines the thrower; the product is not at fault if custom code threw, or called the thrower.
    ///
    /// - Parameters:
    ///   - chain: The most informative exception, whose code is one of ``FailureCode/Kind/unexpected``.
    ///   - place: The component; if there are no frames, one of its messages shows whose code it is.
    init?(_ chain: ExceptionChain?, _ place: FoundComponent?) {
        guard let chain, let thrower = chain.firstBeyondRuntime else {
            guard case .message = place?.evidence, chain?.frames.isEmpty != false else { return nil }
            (cause, check) = (Self.cause(owner: "The product's own code"), nil)
            return
        }
        let foreign = chain.firstBeyondMicrosoft
        // A known third-party product counts as a component.
        if let foreign, Components.find(frames: [foreign]) == nil { return nil }
        let isOfSharePoint = foreign == nil && Self.sharePoint.contains { thrower.name.hasPrefix($0) }
        cause = Self.cause(owner: isOfSharePoint ? "SharePoint's own code" : "The product's own code")
        check = Self.check(of: foreign ?? thrower, isOfSharePoint: isOfSharePoint)
    }

    private static func cause(owner: String) -> String {
        "\(owner) encountered an unexpected state: an object that was deleted or only half created, a missing setting, or a "
            + "fault in this version that a later one corrects."
    }

    private static func check(of frame: StackFrame, isOfSharePoint: Bool) -> Check {
        if isOfSharePoint {
            return Check(
                "The farm's build, to compare with the fixes in later updates",
                command: "(Get-SPFarm).BuildVersion"
            )
        }
        if frame.name.hasPrefix("Microsoft.ApplicationServer.Caching.") {
            let folder = #"C:\Program Files\AppFabric 1.1 for Windows Server"#
            return Check(
                "The AppFabric version, to compare with its cumulative updates",
                command:
                    #"Get-ChildItem '\#(folder)' -Recurse -Filter Microsoft.ApplicationServer.Caching.Configuration.dll | "#
                    + "ForEach-Object { $_.VersionInfo.ProductVersion }"
            )
        }
        let names = frame.name.split(separator: ".").prefix(frame.isMicrosoft ? 2 : 1).joined(separator: ".")
        return Check(
            "The assembly's version, to compare with the fixes in later versions",
            command:
                #"Get-ChildItem C:\Windows\Microsoft.NET\assembly, C:\Windows\assembly -Recurse -Filter \#(names)*.dll | "#
                + "Select-Object Name, @{n='Version'; e={$_.VersionInfo.FileVersion}}"
        )
    }

    private static let sharePoint = ["Microsoft.SharePoint.", "Microsoft.Office.Server."]
}
