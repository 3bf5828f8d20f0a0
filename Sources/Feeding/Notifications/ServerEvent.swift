import JSONText
import TextKit

/// An event on the server about which operators and users can be notified.
package struct ServerEvent: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// All operations of a job have an outcome, and none failed.
        case jobEnded = "job-ended"
        /// A job has ended with errors, or can't continue until an operator intervenes.
        case jobFailed = "job-failed"
        case driftFound = "drift-found"
        case findings
        case scheduleEnded = "schedule-ended"
        case scheduleFailed = "schedule-failed"
        case hookFailed = "hook-failed"
        /// Accepted documents have been waiting for the engine for minutes.
        case engineUnavailable = "engine-unavailable"
        /// A change could not be written to the audit log.
        case auditFailed = "audit-failed"
    }

    package var kind: Kind
    /// The time of the event, since 1970.
    package var at: Duration
    /// The collection that the event concerns; `nil` if it concerns the server.
    package var collection: String?
    /// The subject of the event, such as `session 3f2a`.
    package var subject: String
    /// A description of the event, as a sentence for users.
    package var message: String
    /// The facts about the event by name, for programs.
    package var details: [String: String]

    package init(
        _ kind: Kind,
        at: Duration,
        collection: String? = nil,
        subject: String,
        message: String,
        details: [String: String] = [:]
    ) {
        (self.kind, self.at, self.collection) = (kind, at, collection)
        (self.subject, self.message, self.details) = (subject, message, details)
    }
}

// MARK: - As JSON

extension ServerEvent {
    /// Adds the members of the event to an object.
    func write(to object: inout JSONWriter) {
        object.member("kind", kind.rawValue)
        object.member("at", UTCTimestamp(since1970: at).description)
        object.member("collection", collection)
        object.member("subject", subject)
        object.member("message", message)
        object.object("details") { details in
            for (name, value) in self.details.sorted(by: { $0.key < $1.key }) { details.member(name, value) }
        }
    }

    /// The event in the form in which the outbox stores it.
    var json: [UInt8] {
        JSONWriter.object { object in
            write(to: &object)
            object.member("milliseconds", Int(at / .milliseconds(1)))
        }
    }

    /// Reads an event from the outbox; `nil` if its kind was added by a later version.
    init?(json: [UInt8]) {
        guard let value = try? JSONValue(json), let kind = value["kind"].text.flatMap(Kind.init),
            let milliseconds = value["milliseconds"].int, let subject = value["subject"].text,
            let message = value["message"].text
        else { return nil }
        self.init(
            kind,
            at: .milliseconds(milliseconds),
            collection: value["collection"].text,
            subject: subject,
            message: message,
            details: value["details"].members.reduce(into: [:]) { $0[$1.key] = $1.value.text }
        )
    }
}

// MARK: - Templates

/// Text with the names of an event's values in double braces: `{{kind}} on {{collection}}: {{message}}`.
package struct NotificationTemplate: Sendable, Hashable {
    /// A value of an event.
    private enum Field: Hashable {
        case kind, at, collection, subject, message, target
        case detail(String)

        init?(_ name: Substring) {
            switch name {
            case "kind": self = .kind
            case "at": self = .at
            case "collection": self = .collection
            case "subject": self = .subject
            case "message": self = .message
            case "target": self = .target
            default:
                guard name.hasPrefix("details."), name != "details." else { return nil }
                self = .detail(String(name.dropFirst("details.".count)))
            }
        }

        func value(of event: ServerEvent, target: String) -> String {
            switch self {
            case .kind: event.kind.rawValue
            case .at: UTCTimestamp(since1970: event.at).description
            case .collection: event.collection ?? ""
            case .subject: event.subject
            case .message: event.message
            case .target: target
            case .detail(let name): event.details[name] ?? ""
            }
        }
    }

    private enum Part: Hashable {
        case text(String)
        case field(Field)
    }

    /// The kind of text into which values are inserted, which determines the characters to escape or to replace.
    package enum Channel: Sendable {
        /// A line of text: control characters become spaces.
        case line
        /// Text of several lines: the only control characters kept are line breaks and tabs.
        case text
        /// A JSON string, without its quotes.
        case json
    }

    /// The defect of a template that can't be read, with its column, starting at 1, and the reason.
    package struct Defect: Error, Hashable {
        package let column: Int
        package let message: String
    }

    private let parts: [Part]

    /// The default text for an event.
    package static let message = NotificationTemplate(parts: [.field(.message)])
    /// The default subject of a mail.
    package static let subject = NotificationTemplate(parts: [.field(.kind), .text(": "), .field(.subject)])

    private init(parts: [Part]) { self.parts = parts }

    /// Reads a template, in which all names must be valid.
    package init(_ text: String) throws(Defect) {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            if open.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<open.lowerBound]))) }
            let column = text.distance(from: text.startIndex, to: open.lowerBound) + 1
            let inside = rest[open.upperBound...]
            guard let close = inside.firstRange(of: "}}") else {
                throw Defect(column: column, message: "'{{' has no '}}' after it")
            }
            let words = inside[..<close.lowerBound].split(separator: " ")
            guard words.count == 1, let field = Field(words[0]) else {
                throw Defect(
                    column: column,
                    message: "'\(inside[..<close.lowerBound])' is not a value of an event; use kind, at, collection, "
                        + "subject, message, target or details.NAME"
                )
            }
            parts.append(.field(field))
            rest = inside[close.upperBound...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// Returns the text for an event; only the values are made safe for the channel, not the text around them.
    package func text(of event: ServerEvent, for target: String, on channel: Channel) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .field(let field): channel.safe(field.value(of: event, target: target))
            }
        }.joined()
    }
}

extension NotificationTemplate.Channel {
    /// Returns text that can't end the line or the string into which it is inserted.
    package func safe(_ text: String) -> String {
        switch self {
        case .line: Self.withoutControls(text) { _ in false }
        case .text: Self.withoutControls(text) { "\n\t".unicodeScalars.contains($0) }
        case .json:
            String(decoding: JSONWriter.quoted(text).dropFirst().dropLast(), as: UTF8.self)
        }
    }

    private static func withoutControls(_ text: String, except isKept: (Unicode.Scalar) -> Bool) -> String {
        var safe = ""
        for scalar in text.unicodeScalars {
            let isControl =
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                default: false
                }
            safe.unicodeScalars.append(isControl && !isKept(scalar) ? " " : scalar)
        }
        return safe
    }
}

extension JSONWriter {
    /// Returns text as a JSON string.
    fileprivate static func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(text)
        return writer.takeBytes()
    }
}
