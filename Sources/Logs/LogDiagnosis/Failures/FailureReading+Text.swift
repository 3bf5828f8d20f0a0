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
    init(text: String, area: String = "", category: String = "", process: String = "") {
        self.init()
        let codes = FailureCodes.find(in: text)
        let chain = ExceptionText.chains(in: text).first
        let told = codes.filter { $0.code.name != nil || $0.code.meaning != nil }
        if let link = chain?.headline {
            headline = Self.words(of: link)
            decoded.append(Self.words(of: link, isFull: true))
        } else if let first = told.first {
            headline = Self.headline(of: first.code)
        }
        for found in told {
            let words = Self.words(of: found.code)
            if !decoded.contains(words) { decoded.append(words) }
            for check in found.code.checks where checks.count < Self.maximumChecks {
                let check = ReadingCheck(check.text, command: check.command)
                if !checks.contains(check) { checks.append(check) }
            }
        }
        location = (chain?.firstBeyondMicrosoft ?? chain?.firstBeyondRuntime)?.name
    }

    private static let maximumChecks = 12
    private static let maximumMessage = 160

    /// `UnauthorizedAccessException: Access to the path is denied.`
    private static func words(of link: ExceptionChain.Link, isFull: Bool = false) -> String {
        let type = link.type.map { isFull ? $0 : String($0.split(separator: ".").last ?? "") } ?? "An exception"
        let message = link.message.prefix { $0 != "\n" && $0 != "\r" }
        guard !message.isEmpty else { return type }
        let isCut = message.count > maximumMessage
        return "\(type): \(message.prefix(maximumMessage))\(isCut ? "…" : "")"
    }

    private static func headline(of code: FailureCode) -> String {
        code.meaning ?? [code.spelled, code.name].compactMap(\.self).joined(separator: " ")
    }

    /// `0x80070005 E_ACCESSDENIED: the account has no right`
    private static func words(of code: FailureCode) -> String {
        let name = [code.spelled, code.name].compactMap(\.self).joined(separator: " ")
        return code.meaning.map { "\(name): \($0)" } ?? name
    }
}
