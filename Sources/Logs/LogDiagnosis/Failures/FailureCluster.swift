import FailureExplanation
public import ULSLog

/// A group of rows of one kind that show a problem that no rule explains.
public struct FailureCluster: Sendable, Hashable {
    /// An ID that is the same for the same kind in any log: a hash of event ID, template, exception and frame.
    public var id: String
    /// The event ID.
    public var eventID: String
    /// The worst level of the rows.
    public var level: ULSLevel
    /// The beginning of the message, with placeholders for the variable parts.
    public var template: String
    /// The full name of the innermost exception; `nil` if the rows name none.
    public var exception: String?
    /// The first frame in neither the System nor the Microsoft namespace, or else the first that is not in System.
    public var frame: String?
    /// The number of rows.
    public var count: Int
    /// The number of requests with such rows.
    public var requests: Amount
    /// The number of accounts that the rows or their requests name.
    public var users: Amount
    /// The number of web addresses, without their queries, that the rows or their requests name.
    public var addresses: Amount
    /// The most frequent users.
    public var userNames: [String] = []
    /// The most frequent addresses.
    public var addressNames: [String] = []
    /// The servers, those with the most rows first.
    public var servers: [String]
    /// The time of the first row; `nil` if rows have no dates.
    public var firstTime: LogTime?
    /// The time of the last row; `nil` if rows have no dates.
    public var lastTime: LogTime?
    /// The earliest of the events.
    public var example: Evidence
    /// The interpretation of the text, its origin, and recommended checks.
    public var explanation: FailureReading
    /// Unusual facts about when and where the rows occur.
    public var changes: [ClusterChange]
    /// The severity.
    public var severity: Severity

    /// Creates a cluster of rows.
    public init(eventID: String, level: ULSLevel, template: String, count: Int, example: Evidence) {
        id = ""
        self.eventID = eventID
        self.level = level
        self.template = template
        self.count = count
        requests = Amount(0)
        users = Amount(0)
        addresses = Amount(0)
        servers = []
        self.example = example
        explanation = FailureReading()
        changes = []
        severity = .info
    }

    /// Whether the text could be interpreted, because it contains an exception or something that could be decoded.
    public var saysMore: Bool { exception != nil || !explanation.isEmpty }

    /// Whether there is enough information for a page: the text could be interpreted, or the failure is severe and its
    /// component or activity is known.
    public var fillsPage: Bool { saysMore || severity == .warning && explanation.saysPlace }
}

/// A number that may be a lower bound, because a limit was reached.
public struct Amount: Sendable, Hashable {
    /// The number.
    public var count: Int
    /// Whether the actual number may be larger, because counting stopped at a limit.
    public var isAtLeast: Bool

    /// Creates an amount.
    public init(_ count: Int, isAtLeast: Bool = false) {
        self.count = count
        self.isAtLeast = isAtLeast
    }
}

/// An interpretation of a failure's text without a rule.
///
/// Kinds of statements are never mixed: the meaning of the text (certain), the activity (certain because of a frame, or
/// likely), the origin (likely or possible), the common causes in any farm, and possible causes.
public struct FailureReading: Sendable, Hashable {
    /// A sentence for the headline; `nil` if there is only the text.
    public var headline: String?
    /// The failure in one sentence, from the slots of its frame; `nil` if the text does not show how it failed.
    public var sentence: String?
    /// The exception in the text, with its full type; `nil` if no exception has a type.
    public var exception: String?
    /// The meanings of the codes in the text.
    public var decoded: [String] = []
    /// Whether the codes are part of a normal exchange, such as a sign-in that succeeded.
    var isNormal = false
    /// Whether the exception only shows that a redirect ended the page, at any level.
    var isEndOfRedirect = false
    /// True if the text only reports that something failed, and gives no reason.
    var isOuter = false
    /// The activity: certain because of a frame of the stack trace, or likely because of words that only this activity
    /// writes.
    public var activity: Statement?
    /// The common causes in any farm: first the activity's causes that refer to this code or exception, then those of
    /// the codes, then the activity's general causes.
    public var usually: [String] = []
    /// The place of the failure, or the component that the text mentions.
    public var place: Place?
    /// The prerequisites of the component.
    public var needs: [String] = []
    /// The possible causes, suggested by something that the text names.
    public var causes: [String] = []
    /// The recommended checks, which change nothing.
    public var checks: [ReadingCheck] = []

    /// Creates an empty interpretation.
    public init() {}

    /// Whether the interpretation adds nothing to the row.
    public var isEmpty: Bool { decoded.isEmpty && headline == nil }

    /// The exception and the meanings of codes.
    public var told: [String] { [exception].compactMap(\.self) + decoded }

    /// The component that failed: likely if a frame, a type or the row's category indicates it; possible if only the
    /// process or the text next to a frame does.
    public var location: Statement? {
        place.flatMap { place in place.confidence.map { Statement(place.text, $0) } }
    }

    /// The component that the text mentions, if the place of the failure is unknown.
    public var mention: String? { place.flatMap { $0.confidence == nil ? $0.text : nil } }

    /// Whether the interpretation has an activity or a place.
    var saysPlace: Bool { activity != nil || place != nil }

    /// A statement about a failure, and its confidence.
    public struct Statement: Sendable, Hashable {
        /// The statement in words.
        public var text: String
        /// The confidence in the statement.
        public var confidence: Confidence

        /// Creates a statement.
        public init(_ text: String, _ confidence: Confidence) {
            self.text = text
            self.confidence = confidence
        }
    }

    /// A component and a frame; quotations from the text are kept apart from the program's words, which reveal nothing.
    public struct Place: Sendable, Hashable {
        /// The component's name.
        public var component: String?
        /// Whether the component's name contains words from the row.
        public var isNamedByRow: Bool
        /// The words in the text that name the component, if nothing else indicates it.
        public var words: String?
        /// The method: the first one outside Microsoft's code, or else the one that threw.
        public var frame: String?
        /// Whether the frame is in custom or third-party code.
        public var isForeign: Bool
        /// The confidence that the failure occurred there; `nil` if the text only mentions the component.
        public var confidence: Confidence?

        /// Creates a place.
        public init(
            component: String? = nil,
            isNamedByRow: Bool = false,
            words: String? = nil,
            frame: String? = nil,
            isForeign: Bool = false,
            _ confidence: Confidence? = nil
        ) {
            self.component = component
            self.isNamedByRow = isNamedByRow
            self.words = words
            self.frame = frame
            self.isForeign = isForeign
            self.confidence = confidence
        }

        /// The place in words.
        public var text: String {
            let named = component.map { $0 + (words.map { ", by \"\($0)\"" } ?? "") }
            let framed = frame.map { isForeign ? "in code that is not Microsoft's: \($0)" : "at \($0)" }
            return [named, framed].compactMap(\.self).joined(separator: ", ")
        }
    }
}

/// Something to check, possibly with a read-only command.
public struct ReadingCheck: Sendable, Hashable {
    /// The subject of the check.
    public var text: String
    /// A read-only command; `nil` if there is none.
    public var command: String?
    /// True if the text itself advises it, so it may change something.
    public var isAdvice = false

    /// The cmdlet or program in the command: `Get-Acl` in `(Get-Acl PATH).Access`.
    var program: String? {
        command?.split { !($0.isLetter || $0.isNumber || $0 == "-") }.first { $0.count > 2 }.map(String.init)
    }

    /// Creates a check.
    public init(_ text: String, command: String? = nil) {
        self.text = text
        self.command = command
    }
}

/// An unusual fact about when and where rows of a kind occur.
public struct ClusterChange: Sendable, Hashable {
    /// The kinds of unusual facts.
    public enum Kind: String, Sendable, Hashable {
        /// The rows first occur in the second half of the log.
        case new
        /// The kind is not in the file of normal failures.
        case notNormal = "not-normal"
        /// There are more rows within five minutes than chance explains at the usual rate.
        case rate
        /// Nearly all rows are from one of three or more servers.
        case oneServer = "one-server"
        /// The rows begin soon after a restart or a configuration change.
        case afterMark = "after-mark"
    }

    /// The unusual fact.
    public var kind: Kind
    /// The change in words.
    public var text: String

    /// Creates a change.
    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

extension FailureReading {
    /// Interprets an event's text.
    init(_ event: borrowing ULSEvent) {
        self.init(
            text: event.text(.message),
            area: event.text(.area),
            category: event.text(.category),
            process: event.text(.process),
            eventID: event.text(.eventID),
            isVerbose: event.level.rank >= 8
        )
    }

    /// Interprets a text; unknown columns are empty.
    ///
    /// A truncated text may lack the most informative frames. If a rule already gives the reason, only the meaning of
    /// the text itself and the checks for the activity are added.
    init(
        text: String,
        area: String = "",
        category: String = "",
        process: String = "",
        eventID: String = "",
        isCut: Bool = false,
        isVerbose: Bool = false,
        givesReasons: Bool = true
    ) {
        self.init()
        var explanation = Explanation(of: text, area: area, category: category, process: process, eventID: eventID)
        if isCut { explanation.forgetRuntimePlace() }
        let link = explanation.exception.flatMap { $0.type == nil && $0.message.isEmpty ? nil : $0 }
        // In a verbose row, a number without a name may be any value.
        let found = explanation.decoded.filter { $0.code.name != nil || $0.code.meaning != nil && !isVerbose }
        let told = found.map(\.code)
        isNormal = !told.isEmpty && told.allSatisfy { $0.kind == .normal } && explanation.frame.failure == nil
        isEndOfRedirect = explanation.isEndOfRedirect
        sentence = explanation.frame.sentence
        if let link {
            headline = Self.words(of: link)
            exception = link.type == nil ? nil : Self.words(of: link, isFull: true)
        } else if let first = told.first {
            // A named object is more informative than a bare refusal, and any words are more informative than a code
            // without a name.
            let isBare = explanation.frame.isInformative && (first.kind == .refusal || first.isOuter)
            headline = isBare || first.name == nil ? sentence : Self.headline(of: first)
        }
        // E_FAIL adds nothing if anything else is known.
        for found in found where found.code.number != FailureCode.unspecified || link == nil && told.count == 1 {
            // A number without a name is not decoded; words are more informative.
            if found.code.name == nil, sentence != nil { continue }
            let words = Self.words(of: found)
            if !decoded.contains(words) { decoded.append(words) }
        }
        causes = explanation.causes
        activity = explanation.activity.map(Self.statement)
        place = Self.place(explanation)
        if givesReasons { takeReasons(explanation, told) }
        let checks = givesReasons ? explanation.checks : explanation.activity?.activity.checks ?? []
        self.checks = checks.prefix(Self.maximumChecks).map { check in
            var reading = ReadingCheck(check.text, command: check.command)
            reading.isAdvice = check.isAdvice
            return reading
        }
    }

    /// Takes the common causes of failures of this class, and the prerequisites of the component.
    private mutating func takeReasons(_ explanation: Explanation, _ told: [FailureCode]) {
        typealias Cause = (text: String, isSupposed: Bool)
        let activity = explanation.activity
        let ofActivity = activity?.activity.causes.map { Cause($0, activity?.isSupposed == true) } ?? []
        let ofCodes = told.flatMap { code in code.causes.map { Cause($0, code.isSupposed) } }
        let ofText = explanation.usually.map { Cause($0, explanation.isSupposed) }
        // A product's own sentence is more specific than the causes of any failure of an activity.
        let isFirst = activity?.isOfFailure == true || told.allSatisfy(\.isGeneral)
        for cause in ofText + (isFirst ? ofActivity + ofCodes : ofCodes + ofActivity)
        where !causes.contains(cause.text) && !usually.contains(cause.text) {
            if cause.isSupposed { causes.append(cause.text) } else { usually.append(cause.text) }
        }
        isOuter = !told.isEmpty && told.allSatisfy(\.isOuter)
        needs = explanation.place?.component.needs ?? []
    }

    private static func place(_ explanation: Explanation) -> Place? {
        let (found, foreign) = (explanation.place, explanation.foreignFrame)
        let frame = foreign ?? explanation.chains.first?.firstBeyondRuntime
        guard found != nil || frame != nil else { return nil }
        let confidence: Confidence? =
            switch (found?.evidence, frame) {
            case (.text, nil): nil
            case (.text, _): .possible
            default: explanation.isPlaceSupposed ? .possible : .likely
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

    /// Returns the type and the message, such as `UnauthorizedAccessException: Access to the path is denied.`.
    private static func words(of link: ExceptionChain.Link, isFull: Bool = false) -> String {
        let type = link.type.map { isFull ? $0 : String($0.split(separator: ".").last ?? "") }
        let message = link.message.prefix { $0 != "\n" && $0 != "\r" }
        guard !message.isEmpty else { return type ?? "An exception" }
        let isCut = message.count > maximumMessage
        return "\(type.map { "\($0): " } ?? "")\(message.prefix(maximumMessage))\(isCut ? "…" : "")"
    }

    private static func headline(of code: FailureCode) -> String {
        code.meaning ?? code.title
    }

    /// Returns the number, name and meaning, such as `0x80070005 E_ACCESSDENIED: the account has no right`.
    private static func words(of found: FoundCode) -> String {
        // A search for this number would not find it in the row.
        let evidence = [.phrase: " (by the sentence)", .event: " (by the event ID)"][found.evidence] ?? ""
        let title = found.code.title + evidence
        return found.code.meaning.map { "\(title): \($0)" } ?? title
    }
}

extension Explanation {
    /// Drops a component that only frames of the runtime indicate, because a SharePoint frame, which takes precedence,
    /// may be in the part that was cut off.
    fileprivate mutating func forgetRuntimePlace() {
        guard let place, case .frame(let name) = place.evidence, StackFrame(name).isRuntime else { return }
        checks.removeAll { check in place.component.checks.contains { $0.text == check.text } }
        self.place = nil
    }
}
