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

    /// True if the text, apart from a component or an actor that it mentions, gives nothing to explain.
    package var explainsNothing: Bool {
        decoded.isEmpty && chains.isEmpty && activity == nil && usually.isEmpty && causes.isEmpty
            && frame.sentence == nil && frame.remedy == nil
            && (frame.failure == nil || frame.isQuestion || place == nil)
    }

    /// Words of questions about a message rather than about an event.
    private static let meaning = "mean means meaning bedeutet bedeutung heißt signifie".wordSet

    /// True if the text reports a failure or names an actor, rather than a success, a cmdlet or only a component.
    package var isReport: Bool { !decoded.isEmpty || !chains.isEmpty || frame.isReport }

    /// Explains a text: the message of a row, with all its parts joined, or another description of a failure.
    ///
    /// - Parameters:
    ///   - text: The text; anything beyond ``ExceptionText/maximumBytes`` is not read.
    ///   - area: The area of the row, if the text is from a row.
    ///   - category: The category of the row.
    ///   - process: The process of the row.
    package init(of text: String, area: String? = nil, category: String? = nil, process: String? = nil) {
        let whole = text.prefix(utf8Bytes: ExceptionText.maximumBytes)
        let page = ServerPage(whole)
        let text = page?.evidence ?? whole
        let columns = [area, category, process].compactMap(\.self).joined(separator: " ")
        let words = FrameText(text)
        // A code in the title of a document, in a path or in an address proves nothing.
        decoded = Self.withoutVagueRefusals(
            FailureCodes.find(in: text, beside: columns).filter {
                !words.isInName($0.range) && !words.isNumbering($0.range) && !words.counts.areVoid($0.range)
            }
        )
        var seen: Set<String> = []
        chains = ExceptionText.chains(in: text).filter { seen.insert($0.identity).inserted }
        let facts = StatedFacts(text)
        for index in decoded.indices where !facts.isEmpty { decoded[index].code.heed(facts) }
        frame = FailureFrame(words, chains, decoded, process: process)
        if let page { frame.take(page, decoded) }
        if frame.isHarmless, chains.allSatisfy(\.frames.isEmpty) { (decoded, chains) = ([], []) }
        // A question mentions words of a failure, unless it asks for their meaning.
        if frame.isQuestion, !words.words.contains(where: { Self.meaning.contains($0.text) }) {
            decoded.removeAll { $0.evidence == .phrase || $0.code.space == .sentence }
        }
        place = Components.find(
            frames: chains.flatMap(\.frames),
            types: chains.flatMap { $0.links.reversed().compactMap(\.type) },
            area: area,
            category: category,
            process: process,
            text: frame.withoutGuess(text)
        )
        activity = Activities.find(in: text, chains, decoded)
        foreignFrame =
            Self.best(of: chains)?.firstBeyondMicrosoft ?? chains.lazy.compactMap(\.firstBeyondMicrosoft).first
        causes = []
        usually = []
        checks = []
        for found in decoded where found.evidence == .phrase || found.code.space == .sentence {
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
        // The error of the module itself, in words, is the reason for the code.
        for index in decoded.indices
        where page?.fields["Config Error"] != nil && decoded[index].code.space == .hresult {
            (decoded[index].code.causes, decoded[index].code.checks) = ([], [])
        }
        explainVagueCodes()
        if let (caller, method) = chain?.rejectedCall, decoded.allSatisfy({ $0.code.meaning == nil }) {
            // The component that was called behaved correctly.
            place = nil
            causes = ["\(caller.name) called \(method.name) with an argument that it rejects; the message has details."]
        }
        frame.advise(place?.component, decoded)
        if let remedy = frame.remedy {
            let verb = remedy.certainty == .possible ? "supposes a cause, and advises" : "advises"
            var check = Check("The message itself \(verb): \(remedy.value)")
            check.isAdvice = true
            add([check])
        }
        // A product's own sentence or code is more specific than the usual causes in a component.
        let isOfProduct = decoded.contains { found in
            found.code.space.isSpecific && found.code.kind == nil
                && !(found.code.causes.isEmpty && found.code.checks.isEmpty)
        }
        let isFitting = { (advice: FrameAdvice) in
            isOfProduct
                ? advice.isForComponent && !advice.checks.isEmpty
                : advice.isSpecific || frame.isBare || frame.takesClassAdvice && activity == nil
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
        let ports = words.ports
        for index in checks.indices where !ports.isEmpty { checks[index].take(ports) }
        let isReached = decoded.contains { $0.code.isOfStatement || $0.code.spelled == "-2" && isExecuting }
        // The text itself answers some checks.
        checks.removeAll {
            isReached && $0.isOfConnection || !facts.isEmpty && facts.affirms("\($0.text) \($0.command ?? "")")
        }
        fitChecksToNames(words, inRow: !columns.isEmpty)
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

    /// Gives the causes of unspecific codes if nothing else explains the failure; for unexpected states, the owner of the
    /// code that threw.
    private mutating func explainVagueCodes() {
        let isTold = decoded.contains { $0.code.kind?.tellsLittle != true && $0.code.meaning != nil }
        let (owner, check) = fault
        for index in decoded.indices where decoded[index].code.kind?.tellsLittle == true {
            if isTold { (decoded[index].code.causes, decoded[index].code.checks) = ([], []) }
            guard let owner, decoded[index].code.kind == .unexpected else { continue }
            if !isTold {
                decoded[index].code.causes = [
                    "\(owner) encountered an unexpected state: an object that was deleted or only half created, a missing "
                        + "setting, or a fault in this version that a later one corrects."
                ]
            }
            if let check { decoded[index].code.checks.append(check) }
        }
    }

    /// The owner at fault if the code of a product threw, and the check for its version; custom code is examined first,
    /// because it may have called the thrower.
    private var fault: (owner: String?, check: Check?) {
        if let thrower = frame.thrower, chain?.frames.isEmpty == false {
            guard thrower.value.kind != "custom" else { return (nil, nil) }
            return (thrower.value.noun, FrameTables.builtIn.versionCheck(of: thrower))
        }
        // Without frames, a message of the component shows whose code it is.
        guard case .message = place?.evidence, chain?.frames.isEmpty != false else { return (nil, nil) }
        return ("The product's own code", nil)
    }

    /// Drops "Access is denied" if there is a more specific number, such as 0x80041205 of the crawler.
    private static func withoutVagueRefusals(_ found: [FoundCode]) -> [FoundCode] {
        // A normal exchange is worth mentioning only if nothing failed.
        let failures = found.filter { $0.code.kind != .normal }
        let found = failures.isEmpty ? found : failures
        let isTold = found.contains { found in
            found.evidence == .number && found.code.space != .clr && found.code.meaning != nil
                && found.code.number != FailureCode.unspecified && found.code.kind != .refusal
        }
        return isTold ? found.filter { $0.evidence != .phrase || $0.code.kind != .refusal } : found
    }

    /// Returns the first chain with a type; an error page repeats its exception together with the frames.
    static func best(of chains: [ExceptionChain]) -> ExceptionChain? {
        guard let first = chains.first(where: { $0.headline.type != nil }) else { return chains.first }
        return first.frames.isEmpty ? chains.first { $0.repeats(first) && !$0.frames.isEmpty } ?? first : first
    }

    /// Returns false for a plain word, which may occur in any sentence.
    private static func isDistinctive(_ name: String) -> Bool {
        (4...200).contains(name.utf8.count)
            && name.dropFirst().contains { $0.isUppercase || "0123456789_./\\".contains($0) }
    }

    private mutating func add(_ more: [Check]) {
        for check in more where !checks.contains(where: { $0.isSame(as: check) }) { checks.append(check) }
    }
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
