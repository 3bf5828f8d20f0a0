import FailureExplanation
import ULSLog

extension FailureReading {
    /// Reads what an event's text says by itself.
    init(_ event: borrowing ULSEvent) {
        self.init(
            text: event.text(.message),
            area: event.text(.area),
            category: event.text(.category),
            process: event.text(.process)
        )
    }

    /// Reads what a text says by itself; columns that are not known are empty.
    ///
    /// A text that is cut may lack the frames that tell most. Beside a rule that says why, only what the text says itself
    /// is read, and what to look at because of what was being done.
    init(
        text: String,
        area: String = "",
        category: String = "",
        process: String = "",
        isCut: Bool = false,
        givesReasons: Bool = true
    ) {
        self.init()
        var explanation = FailureExplanation.Explanation(of: text, area: area, category: category, process: process)
        if isCut { explanation.forgetRuntimePlace() }
        let link = explanation.exception.flatMap { $0.type == nil && $0.message.isEmpty ? nil : $0 }
        let found = explanation.decoded.filter { $0.code.name != nil || $0.code.meaning != nil }
        let told = found.map(\.code)
        if let link {
            headline = Self.words(of: link)
            decoded.append(Self.words(of: link, isFull: true))
        } else if let first = told.first {
            headline = Self.headline(of: first)
        }
        // E_FAIL says nothing beside anything else.
        for found in found where found.code.number != FailureCode.unspecified || link == nil && told.count == 1 {
            let words = Self.words(of: found)
            if !decoded.contains(words) { decoded.append(words) }
        }
        causes = explanation.causes
        activity = explanation.activity.map(Self.statement)
        place = Self.place(explanation)
        if givesReasons { takeReasons(explanation, told) }
        let checks = givesReasons ? explanation.checks : explanation.activity?.activity.checks ?? []
        self.checks = checks.prefix(Self.maximumChecks).map { ReadingCheck($0.text, command: $0.command) }
    }

    /// Takes what such failures mostly come from, and what the component can't work without.
    private mutating func takeReasons(_ explanation: FailureExplanation.Explanation, _ told: [FailureCode]) {
        let ofCodes = told.flatMap(\.causes)
        let ofActivity = explanation.activity?.activity.causes ?? []
        // What a component says of a refusal is nearer to the failure than what its caller usually fails of.
        let isSpecific = explanation.activity?.isSpecific == true && explanation.place?.component.denied == nil
        for cause in isSpecific ? ofActivity + ofCodes : ofCodes + ofActivity
        where !causes.contains(cause) && !usually.contains(cause) {
            usually.append(cause)
        }
        needs = explanation.place?.component.needs ?? []
    }

    private static func place(_ explanation: FailureExplanation.Explanation) -> Place? {
        let (found, foreign) = (explanation.place, explanation.foreignFrame)
        let frame = foreign ?? explanation.chains.first?.firstBeyondRuntime
        guard found != nil || frame != nil else { return nil }
        let confidence: Confidence? =
            switch (found?.evidence, frame) {
            case (.text, nil): nil
            // A process runs the code of many components.
            case (.text, _), (.process, _): .possible
            default: .likely
            }
        return Place(
            component: found?.component.name,
            isNamedByRow: found?.component.isNamedByRow ?? false,
            words: found?.mention,
            frame: frame?.name,
            isForeign: foreign != nil,
            confidence
        )
    }

    private static func statement(_ found: FoundActivity) -> Statement {
        let name = found.activity.name + (found.outer.map { ", within \($0.name)" } ?? "")
        switch found.evidence {
        case .frame(let frame): return Statement("\(name) — by \(frame.name)", .certain)
        case .text(let words): return Statement("\(name) — by \"\(words)\"", .likely)
        }
    }

    private static let maximumChecks = 12
    private static let maximumMessage = 160

    /// The type and the message, such as `UnauthorizedAccessException: Access to the path is denied.`.
    private static func words(of link: ExceptionChain.Link, isFull: Bool = false) -> String {
        let type = link.type.map { isFull ? $0 : String($0.split(separator: ".").last ?? "") } ?? "An exception"
        let message = link.message.prefix { $0 != "\n" && $0 != "\r" }
        guard !message.isEmpty else { return type }
        let isCut = message.count > maximumMessage
        return "\(type): \(message.prefix(maximumMessage))\(isCut ? "…" : "")"
    }

    private static func headline(of code: FailureCode) -> String {
        code.meaning ?? code.title
    }

    /// Number, name and meaning, such as `0x80070005 E_ACCESSDENIED: the account has no right`.
    private static func words(of found: FoundCode) -> String {
        // Whoever looks for the number in the row would not find it.
        let title = found.evidence == .phrase ? "\(found.code.title) (by the sentence)" : found.code.title
        return found.code.meaning.map { "\(title): \($0)" } ?? title
    }
}

extension FailureExplanation.Explanation {
    /// Drops a component that only frames of the runtime speak for: a frame of SharePoint outranks them, and may be in what
    /// was cut off.
    fileprivate mutating func forgetRuntimePlace() {
        guard let place, case .frame(let name) = place.evidence, StackFrame(name).isRuntime else { return }
        checks.removeAll(where: place.component.checks.contains)
        self.place = nil
    }
}
