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
    package var usually: [String] = []
    /// True if these causes are only possible: the text names nothing, or its words merely mention the component in which
    /// they are usual.
    package private(set) var isSupposed = false
    /// Causes that a code's entry names together with the object concerned, or custom code whose call was refused.
    package var causes: [String] = []
    /// The recommended checks without duplicates: those of the codes first, then those of the component.
    package var checks: [Check] = []
    /// True if the component is only mentioned, in a clause that reports no failure.
    private var isAside = false

    /// The most informative chain: the first one with a type, because a chain without a type may repeat an earlier one.
    package var chain: ExceptionChain? { Self.best(of: chains) }

    /// The most informative exception.
    package var exception: ExceptionChain.Link? { chain?.headline }

    /// True if the exception only shows that a redirect ended the page.
    package var isEndOfRedirect: Bool {
        guard let chain, chain.headline.type.map(StackFrame.lastName) == "ThreadAbortException" else { return false }
        return chain.frames.contains { frame in Self.redirects.contains { frame.name.hasSuffix($0) } }
    }

    private static let redirects = ["HttpResponse.End", "HttpResponse.Redirect", "SPUtility.Redirect"]

    /// True if nothing in the text was recognized.
    package var isEmpty: Bool { decoded.isEmpty && place == nil && chains.isEmpty && frame.isEmpty }

    /// True if the text, apart from a component or an actor that it mentions, gives nothing to explain.
    package var explainsNothing: Bool {
        decoded.isEmpty && chains.isEmpty && activity == nil && usually.isEmpty && causes.isEmpty
            && frame.sentence == nil && frame.remedy == nil
            && (frame.failure == nil || frame.isQuestion || place == nil)
    }

    /// True if a name in the text suggests the component, and nothing else is known: neither a cause nor a meaning.
    package var isPlaceSupposed: Bool {
        switch place?.evidence {
        // A process runs code from many components.
        case .process: true
        case .message, .text: activity == nil && decoded.isEmpty && usually.isEmpty && causes.isEmpty
        default: false
        }
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
    ///   - eventID: The event ID of the row: the number of an event of Windows, which has the same meaning in all
    ///     languages.
    package init(
        of text: String,
        area: String? = nil,
        category: String? = nil,
        process: String? = nil,
        eventID: String? = nil
    ) {
        let whole = text.prefix(utf8Bytes: ExceptionText.maximumBytes).withLineEnds
        let page = ServerPage(whole)
        let text = page?.evidence ?? WizardRows.errors(in: whole) ?? whole
        let (words, facts) = (FrameText(text), StatedFacts(text))
        let plain = String(decoding: Array(text.utf8).withPlainMarks, as: UTF8.self)
        let columns = [area, category, process].compactMap(\.self).joined(separator: " ")
        decoded = Self.codes(in: plain, words, facts, beside: columns)
        if decoded.allSatisfy({ !$0.code.space.isSpecific }), let area, let eventID {
            decoded = FailureCodes.find(event: eventID, of: area) + decoded
        }
        chains = Self.chains(in: text)
        frame = FailureFrame(words, chains, decoded, process: process)
        if let page { frame.take(page, decoded) }
        dropSignsOfNoFailure(words)
        if let record = EventRecord(text) { take(record) }
        activity = Activities.find(in: plain, chains, decoded)
        foreignFrame = chain?.firstBeyondMicrosoft ?? chains.lazy.compactMap(\.firstBeyondMicrosoft).first
        place = Components.find(
            frames: chains.flatMap(\.frames),
            types: chains.flatMap { $0.links.reversed().compactMap(\.type) },
            area: area,
            category: category,
            process: process,
            text: frame.withoutGuess(plain.withoutAllowedElements.withoutCmdletSpace)
        )
        takePlaceOfSigns(in: text)
        if decoded.first?.evidence == .event, case .message = place?.evidence {
            place?.evidence = .category("\(area ?? "") \(eventID ?? "")")
        }
        judgeMention(words, area: area, category: category)
        for index in decoded.indices { decoded[index].code.heed(isAside ? nil : place?.component.id) }
        keepInnermostCauses(in: text)
        keepCausesOfReason()
        giveCausesOfFile()
        if page?.fields["Config Error"] != nil { dropCausesOfNumber() }
        explainVagueCodes()
        explainRejectedCall()
        frame.advise(isAside ? nil : place?.component, decoded)
        addRemedy()
        takeAdvice()
        takeCauses(that: words.names.map(\.text).filter(Self.isDistinctive))
        addChecks()
        fitChecks(to: words.ports, facts)
        fitChecksToNames(words, inRow: !columns.isEmpty)
        if columns.isEmpty { deferTrace() }
    }

    // MARK: What the text contains

    /// Returns the codes in a text, with the facts that it states; a code in the title of a document, in a path or in
    /// an address proves nothing.
    private static func codes(
        in text: String,
        _ words: FrameText,
        _ facts: StatedFacts,
        beside columns: String
    ) -> [FoundCode] {
        var codes = withoutVagueRefusals(
            in: words,
            FailureCodes.find(in: text, beside: columns).filter {
                !words.isInName($0.range) && !words.isNumbering($0.range) && !words.counts.areVoid($0.range)
            }
        )
        let numbers = codes.map(\.code.number)
        for index in codes.indices {
            if !facts.isEmpty { codes[index].code.heed(facts) }
            codes[index].code.heed(text, numbers)
        }
        // A product's own code or sentence with causes is more specific than the others beside it.
        let (own, others) = (codes.filter(\.code.hasOwnCauses), codes.filter { !$0.code.hasOwnCauses })
        // An outer failure comes before the failures in it.
        return own.filter { !$0.code.isOuter } + own.filter(\.code.isOuter).reversed() + others
    }

    /// Returns the exceptions in a text, each once.
    private static func chains(in text: String) -> [ExceptionChain] {
        var seen: Set<String> = []
        return ExceptionText.chains(in: text).filter { seen.insert($0.identity).inserted }
    }

    /// Drops the codes and exceptions of a success; a question mentions words of a failure, unless it asks for their
    /// meaning.
    private mutating func dropSignsOfNoFailure(_ words: FrameText) {
        if frame.isHarmless, chains.allSatisfy(\.frames.isEmpty) {
            decoded.removeAll { $0.code.kind != .harmless }
            chains = []
        }
        if frame.isQuestion, !words.words.contains(where: { Self.meaning.contains($0.text) }) {
            decoded.removeAll { $0.evidence == .phrase || $0.code.space == .sentence }
        }
    }

    /// Reports the level of a record in whose text no failure was recognized; returns false if the text is different.
    @discardableResult
    package mutating func take(_ record: EventRecord) -> Bool {
        guard frame.sentence == nil, !frame.isHarmless, decoded.isEmpty, chains.isEmpty else { return false }
        frame.take(record)
        return true
    }

    // MARK: Where it happened

    /// Uses the component of a sentence, of the activity and of the actor, in this order; a sentence that gives the
    /// reason outweighs both, and the type of an exception, which only shows which program met it.
    private mutating func takePlaceOfSigns(in text: String) {
        takePlaceOfOthers(in: text)
        guard let found = decoded.first, found.code.space == .sentence, !found.code.causes.isEmpty, !found.code.isOuter,
            let id = found.code.component, frame.scriptComponent == nil
        else { return }
        if case .exceptionType = place?.evidence { place = nil }
        takePlace(of: id, .message(String(decoding: Array(text.utf8)[found.range], as: UTF8.self)))
    }

    private mutating func takePlaceOfOthers(in text: String) {
        if let found = decoded.first(where: { $0.code.component != nil }), let id = found.code.component {
            takePlace(of: id, .message(String(decoding: Array(text.utf8)[found.range], as: UTF8.self)))
        }
        if let activity, let id = activity.activity.component {
            switch activity.evidence {
            case .frame(let frame): takePlace(of: id, .frame(frame.name))
            case .text(let words): takePlace(of: id, .message(words))
            }
        }
        if let script = frame.scriptComponent { return takePlace(of: script.value, .message(script.evidence)) }
        guard let component = frame.component else { return }
        // A client passes on what the server reports about itself.
        let isClient = ComponentMap.builtIn.entry(withID: component.value)?.component.isAway == true
        if isClient, activity?.activity.component != nil { return }
        // A noun on its own is only a mention.
        switch (component.certainty, place?.evidence) {
        case (.likely, _): takePlace(of: component.value, .message(component.evidence))
        case (_, nil), (_, .process): takePlace(of: component.value, .text(component.evidence))
        default: break
        }
    }

    /// Prefers the component of the row's category to one that only a clause without a failure mentions, which gets
    /// neither causes nor checks.
    ///
    /// The name of a class is more than a mention, as is the name of a script in the text around the message.
    private mutating func judgeMention(_ words: FrameText, area: String?, category: String?) {
        guard let word = place?.mention, word != frame.component?.evidence,
            word.utf8.count(where: { $0 == UInt8(ascii: ".") }) < 3
        else { return }
        let failing = FrameTables.builtIn.failingClauses(in: words, beside: decoded)
        let clauses = words.clauses(with: word)
        guard !failing.isEmpty, !clauses.isEmpty,
            !clauses.contains(where: { clause in
                words.introducesLines(clause) || failing.contains { words.isJoined($0, clause) }
            })
        else { return }
        let own = Components.find(area: area, category: category)
        isAside = own?.component.isGeneric != false
        if !isAside { place = own }
    }

    /// Uses the component of a sentence or an activity, unless a frame or a type indicates a different one.
    private mutating func takePlace(of id: String, _ evidence: FoundComponent.Evidence) {
        switch place?.evidence {
        case .frame, .exceptionType: guard place?.component.isGeneric == true else { return }
        default: break
        }
        guard let component = ComponentMap.builtIn.entry(withID: id)?.component else { return }
        place = FoundComponent(component: component, evidence: evidence)
    }

    // MARK: Why it happened

    /// Leaves the causes to the codes of the innermost exception, if it has any, and to the sentences of one program.
    private mutating func keepInnermostCauses(in text: String) {
        guard let chain, chain.links.count > 1 else { return }
        let bytes = Array(text.utf8)
        let isInner = decoded.map { found in
            found.code.kind?.tellsLittle != true && !found.code.causes.isEmpty
                && chain.innermost.message.contains(String(decoding: bytes[found.range], as: UTF8.self))
        }
        guard isInner.contains(true) else { return }
        for index in decoded.indices where !isInner[index] && decoded[index].code.component == nil {
            decoded[index].code.causes = []
        }
    }

    /// Leaves the causes to the sentences that give the reason, if there are any beside those of outer failures.
    private mutating func keepCausesOfReason() {
        let hasReason = decoded.contains { $0.code.hasOwnCauses && !$0.code.isOuter }
        // The causes of a component's own sentence may already refer to the message of Windows.
        let hasReasonOfWindows = decoded.contains { found in
            found.code.space == .win32 && found.evidence == .phrase && found.code.kind == nil
                && !found.code.causes.isEmpty
        }
        // A file that is refused is not absent.
        let isRefused = decoded.contains { $0.code.kind == .refusal }
        for index in decoded.indices where decoded[index].code.isOuter {
            let hasOther = hasReasonOfWindows && decoded[index].code.component == nil
            if hasReason || hasOther || isRefused && decoded[index].code.kind == .absence {
                decoded[index].code.causes = []
            }
        }
    }

    /// Replaces the causes of a refusal in SharePoint if a sentence names a file or folder that was refused.
    private mutating func giveCausesOfFile() {
        guard let file = decoded.first(where: { $0.code.kind == .refusedFile }) else { return }
        for index in decoded.indices where decoded[index].code.kind == .refusal {
            (decoded[index].code.causes, decoded[index].code.checks) = (Array(file.code.causes.prefix(1)), [])
        }
    }

    /// Drops the causes of an HRESULT on an error page: the error of the module itself, in words, is its reason.
    private mutating func dropCausesOfNumber() {
        // With indices, the optimizer removes a bounds check in some builds of the same source, and not in others.
        decoded = decoded.map { found in
            guard found.code.space == .hresult else { return found }
            var found = found
            (found.code.causes, found.code.checks) = ([], [])
            return found
        }
    }

    /// Names the caller that passed a rejected argument as the cause; the component that was called behaved correctly.
    private mutating func explainRejectedCall() {
        guard let (caller, method) = chain?.rejectedCall, decoded.allSatisfy({ $0.code.meaning == nil }) else { return }
        place = nil
        causes = ["\(caller.name) called \(method.name) with an argument that it rejects; the message has details."]
    }

    /// Takes the causes and checks of the advice that fits best.
    ///
    /// A product's own sentence or code is more specific than the usual causes in a component, and these are more
    /// specific than those of a code in any component.
    private mutating func takeAdvice() {
        let isOfProduct = decoded.contains { found in
            found.code.space.isSpecific && found.code.kind == nil
                && !(found.code.causes.isEmpty && found.code.checks.isEmpty)
        }
        let isOfClass = frame.isBare || frame.takesClassAdvice && activity == nil
        let isFitting = { (advice: FrameAdvice) in
            isOfProduct ? advice.outranksSentences : advice.isSpecific || isOfClass
        }
        for advice in frame.advice where advice.causes.isEmpty { add(advice.checks) }
        guard !frame.listsValues, let advice = frame.advice.first(where: { !$0.causes.isEmpty && isFitting($0) })
        else { return }
        usually = advice.causes
        // The usual causes of a class of failures in a component are right in little more than half of all cases; only
        // those for this object or actor are right in most.
        isSupposed =
            frame.isBare || place?.mention != nil || !advice.outranksSentences || advice.causes.count > 1
        for index in decoded.indices {
            decoded[index].code.causes = []
            // A component with its own causes also has the best checks, unless all others outrank it.
            let isBare = [.refusal, .absence].contains(decoded[index].code.kind)
            if advice.checks.isEmpty, isBare, place?.component.isGeneric == false { decoded[index].code.checks = [] }
        }
        add(advice.checks)
    }

    /// Takes the causes of the codes that name one of the objects and therefore concern this failure; a specific
    /// activity explains a refusal or an absence itself.
    private mutating func takeCauses(that names: [String]) {
        for index in decoded.indices
        where activity?.isSpecific == true && [.refusal, .absence].contains(decoded[index].code.kind) {
            decoded[index].code.causes = []
        }
        for found in decoded {
            causes += found.code.causes.filter { !causes.contains($0) && names.contains(where: $0.contains) }
        }
    }

    // MARK: What to check

    /// Adds the remedy that the message itself gives.
    private mutating func addRemedy() {
        guard let remedy = frame.remedy else { return }
        let verb = remedy.certainty == .possible ? "supposes a cause, and advises" : "advises"
        var check = Check("The message itself \(verb): \(remedy.value)")
        check.isAdvice = true
        add([check])
    }

    /// Adds the checks of a page, of a specific activity, of the codes, of the component and of any other activity.
    ///
    /// A generic component that custom code called is dropped if nothing else is known about the failure, because its
    /// prerequisites and checks, except the trace of the request, lead away from that code.
    private mutating func addChecks() {
        if decoded.contains(where: { $0.code.kind == .harmless }) { return }
        let isCalled =
            foreignFrame != nil && place?.component.isGeneric == true && usually.isEmpty && activity == nil
        // A component that depends on few things has better checks than a number that any program may report.
        let ofPlace = isAside ? [] : (place?.component.checks ?? []).filter { !isCalled || $0.isTrace }
        let isOwn = place?.component.isGeneric == false && activity?.isSpecific != true
        if isOwn, usually.isEmpty, decoded.allSatisfy(\.code.isGeneral) { add(ofPlace) }
        // The page is from a web server rather than the service, so the reason for that server's response comes first.
        for page in decoded where page.code.kind == .page { add(page.code.checks) }
        let ofActivity = activity?.activity.checks ?? []
        if activity?.isSpecific == true { add(ofActivity) }
        for found in decoded { add(found.code.checks) }
        if frame.advice.first(where: { !$0.causes.isEmpty })?.checks.isEmpty == true { add(ofPlace) }
        add(ofActivity)
        add(ofPlace)
        guard isCalled else { return }
        place = nil
        if let thrower = frame.thrower { add([FrameTables.builtIn.versionCheck(of: thrower)].compactMap(\.self)) }
    }

    /// Puts the ports of the text into the commands, and removes the checks that the text itself answers.
    private mutating func fitChecks(to ports: Set<Int>, _ facts: StatedFacts) {
        for index in checks.indices where !ports.isEmpty { checks[index].take(ports) }
        let isReached = decoded.contains { $0.code.isOfStatement || $0.code.spelled == "-2" && isExecuting }
        checks.removeAll {
            isReached && $0.isOfConnection || !facts.isEmpty && facts.affirms("\($0.text) \($0.command ?? "")")
        }
    }

    /// Puts the request's trace last, because a text that is not a row seldom comes with its correlation.
    private mutating func deferTrace() {
        checks = checks.filter { !$0.isTrace } + checks.filter(\.isTrace)
    }

    private mutating func add(_ more: [Check]) {
        for check in more where !checks.contains(where: { $0.isSame(as: check) }) { checks.append(check) }
    }

    /// True if a statement was running, so that SQL Server had been reached.
    private var isExecuting: Bool { chains.flatMap(\.frames).contains { $0.name.contains("SqlCommand.") } }

    /// Gives the causes of unspecific codes if nothing else explains the failure; for unexpected states, the owner of the
    /// code that threw.
    private mutating func explainVagueCodes() {
        let isTold = decoded.contains { $0.code.kind?.tellsLittle != true && $0.code.meaning != nil }
        let (owner, check) = fault
        for index in decoded.indices where decoded[index].code.kind?.tellsLittle == true {
            if isTold { (decoded[index].code.causes, decoded[index].code.checks) = ([], []) }
            // The usual causes of an empty reference lie in custom code.
            if decoded[index].code.kind == .unexpected, foreignFrame == nil, place?.component.isGeneric == false {
                decoded[index].code.causes = []
            }
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
    private static func withoutVagueRefusals(in words: FrameText, _ found: [FoundCode]) -> [FoundCode] {
        // A message that reports no failure does not concern the ones after it.
        if let harmless = found.first(where: { $0.code.kind == .harmless }) {
            let own = words.clause(at: harmless.range).map { $0...($0 + 1) }
            let others = found.filter { code in
                code.code.kind != .harmless && words.clause(at: code.range).map { own?.contains($0) == true } == false
            }
            return others.isEmpty ? [harmless] : others
        }
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
}

extension FailureCode {
    /// E_FAIL, which adds nothing if anything else is known.
    package static let unspecified: UInt64 = 0x8000_4005
}

extension String {
    /// The text without the list of elements that a schema allows, which are not those of the failure.
    fileprivate var withoutAllowedElements: String {
        guard let list = firstRange(of: "List of possible elements expected: ") else { return self }
        let end = self[list.upperBound...].firstIndex(of: ".") ?? endIndex
        return String(self[..<list.lowerBound] + self[end...])
    }

    /// The text without the namespace of SharePoint's cmdlets, which only the ID of an error names; their nouns remain.
    fileprivate var withoutCmdletSpace: String {
        var (text, rest) = ("", self[...])
        while let name = rest.firstRange(of: "Microsoft.SharePoint.PowerShell.SPCmdlet") {
            text += rest[..<name.lowerBound] + "SPCmdlet"
            rest = rest[name.upperBound...]
        }
        return text + rest
    }
}

extension Check {
    /// Returns true if both are the same check: checks with the same command are the same, regardless of their
    /// sentences.
    func isSame(as other: Check) -> Bool {
        if let command, let theirs = other.command { return command.lowercased() == theirs.lowercased() }
        return self == other
    }
}

extension String {
    /// The text with line ends in the place of their escapes: `\n\nErrors:`, as in event 8311; a path may contain one of
    /// them, but not two in a row.
    fileprivate var withLineEnds: String {
        guard has(#"\n\n"#) else { return self }
        var bytes = Array(utf8)
        for place in bytes.indices.dropLast() where bytes[place] == 0x5C && bytes[place + 1] == UInt8(ascii: "n") {
            let next = place + 2 < bytes.count ? bytes[place + 2] : 0
            if next <= 0x20 || next == 0x5C || next.isUppercase { (bytes[place], bytes[place + 1]) = (0x20, 0x0A) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
