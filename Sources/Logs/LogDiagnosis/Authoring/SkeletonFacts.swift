import ULSLog

/// What a new rule and its tests take from an event.
struct SkeletonFacts {
    private let event: ULSEvent
    /// On one line, its beginning.
    private let message: String
    /// What the rule looks for in messages.
    private let phrase: String?

    /// The most characters of a message that a test repeats.
    private static let maximumMessage = 400

    init(_ event: borrowing ULSEvent) {
        self.event = copy event
        let whole = String(event.text(.message).prefix(Self.maximumMessage))
        // A phrase that runs over a line end would not be found in the log.
        phrase = TellingPhrase.of(whole)
        message = Self.onOneLine(whole)
    }

    /// An event ID that the event has not.
    var otherEventID: String { event.text(.eventID).lowercased() == "zzz1" ? "zzz2" : "zzz1" }

    /// Whether it is a message without columns.
    private var isBare: Bool { event.text(.eventID).isEmpty && event.text(.level).isEmpty }

    /// The conditions of the selector, as they are written.
    var conditions: [String] {
        var conditions: [String] = []
        let (eventID, level) = (column(.eventID), column(.level))
        if !eventID.isEmpty {
            conditions.append("event_id: \(YAMLText.word(eventID))")
        } else if !level.isEmpty {
            conditions.append("level: \(YAMLText.word(level))")
        } else {
            conditions.append("level|gte: Monitorable # a message without columns meets this too")
        }
        if let phrase { conditions.append("message|contains: \(YAMLText.quoted(phrase))") }
        return conditions
    }

    /// The log of a test: the event, or one that differs from it.
    func log(eventID: String? = nil, message: String? = nil) -> String {
        let text = message ?? self.message
        guard !isBare else { return "    paste: \(YAMLText.quoted(text))\n" }
        var columns = [("t", time)]
        columns.append(("id", YAMLText.word(eventID ?? column(.eventID))))
        for (key, name) in [("level", ULSEvent.Column.level), ("area", .area), ("category", .category)] {
            columns.append((key, YAMLText.word(column(name))))
        }
        let others = [("corr", ULSEvent.Column.correlation), ("process", .process), ("pid", .processID)]
        for (key, name) in others + [("thread", .threadID)] {
            let text = column(name)
            columns.append((key, text.isEmpty ? nil : YAMLText.word(text)))
        }
        columns.append(("msg", YAMLText.quoted(text)))
        let row = columns.compactMap { name, value in value.map { "\(name): \($0)" } }.joined(separator: ", ")
        return "    uls:\n      - {\(row)}\n"
    }

    /// Tests of what is nearly the event: each condition of the selector fails in one.
    var nearMisses: String {
        var tests = ""
        if phrase != nil { tests += nearMiss("NEAR MISS another message", log(message: "Another message")) }
        if !column(.eventID).isEmpty { tests += nearMiss("NEAR MISS another event ID", log(eventID: otherEventID)) }
        return tests
    }

    private func nearMiss(_ name: String, _ log: String) -> String { "  - name: \(name)\n\(log)    expect: []\n" }

    /// `2026-03-02 10:00:00.00` as the clock read; `nil` without a date.
    private var time: String? {
        var text: [UInt8] = []
        event.time.appendNative(isUTCLayout: true, to: &text)
        let time = String(decoding: text.prefix(22), as: UTF8.self)
        return TestTime(time) == nil ? nil : YAMLText.quoted(time)
    }

    private func column(_ column: ULSEvent.Column) -> String { Self.onOneLine(event.text(column)) }

    private static func onOneLine(_ text: String) -> String {
        String(text.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } ? " " : $0 })
    }
}
