import TestSupport

@testable import ULSLog

/// A log of random events in all the forms that logs are met in, and what must be read from it.
struct GeneratedLog {
    private(set) var bytes: [UInt8] = []
    private(set) var rows: [ModelRow] = []
    private(set) var quality = ReadQuality()
    /// Messages that were split by the service's rules under a thread of their own: they must come out whole.
    private(set) var wholeMessages: [String] = []
    let lineEnd: String
    private var random: SeededGenerator
    private var clock = GeneratedLog.start
    private var line = 0
    /// Rows that wait for a place between others: the rest of split messages.
    private var pending: [[GeneratedRow]] = []
    private let server: String?
    /// Characters at which messages are split.
    private let cut: Int

    /// 2021-03-04 10:00.
    static let start: Int64 = 1_614_852_000_000

    init(seed: UInt64, events: Int, server: String? = nil, cut: Int = 800, hasMark: Bool? = nil) {
        random = SeededGenerator(seed: seed)
        self.server = server
        self.cut = cut
        lineEnd = Bool.random(using: &random) ? "\r\n" : "\n"
        if hasMark ?? (Int.random(in: 0..<4, using: &random) == 0) { bytes = [0xEF, 0xBB, 0xBF] }
        if Bool.random(using: &random) { appendHeader() }
        if Int.random(in: 0..<6, using: &random) == 0 { appendStray("Logged by hand, not by the service") }
        for number in 0..<events { appendEvent(number) }
        while !pending.isEmpty { appendPending() }
        // Without its end, an empty line would be none.
        if Int.random(in: 0..<3, using: &random) == 0,
            !bytes.suffix(4).elementsEqual((lineEnd + lineEnd).utf8.suffix(4)),
            !bytes.suffix(2).elementsEqual([0x0A, 0x0A])
        {
            bytes.removeLast(lineEnd.utf8.count)
        }
    }

    /// The events that must be read from it.
    func events(file: String) -> [ModelEvent] { ModelEvent.join(rows, file: file) }

    private mutating func appendEvent(_ number: Int) {
        while !pending.isEmpty, Bool.random(using: &random) { appendPending() }
        if Int.random(in: 0..<20, using: &random) == 0 { appendHeader() }
        clock += [0, 0, 10, 30, 990, 1200].randomElement(using: &random) ?? 0
        var row = GeneratedRow(clock: clock, server: server, &random)
        let length = row.message.count
        if length > cut || Int.random(in: 0..<8, using: &random) == 0, length > 4 {
            row.thread = "0x\(String(0x10_0000 + number, radix: 16))"
            let parts = row.split(at: length > cut ? cut : Int.random(in: 1..<length, using: &random))
            if !row.message.hasPrefix("...") { wholeMessages.append(row.message) }
            append(parts[0])
            pending.append(Array(parts.dropFirst()))
        } else {
            append(row)
        }
        if Int.random(in: 0..<12, using: &random) == 0 { appendBlank() }
    }

    /// Appends the next row of one of the messages under way.
    private mutating func appendPending() {
        let index = Int.random(in: 0..<pending.count, using: &random)
        guard let row = pending[index].first else { return }
        append(row)
        pending[index].removeFirst()
        if pending[index].isEmpty { pending.remove(at: index) }
    }

    private mutating func append(_ row: GeneratedRow) {
        let text = row.bytes
        let lines = 1 + text.count { $0 == 0x0A }
        var model = row.model
        model.line = line + 1
        model.lineEnd = line + lines
        rows.append(model)
        appendLine(text)
        line += lines
        quality.lines += lines
        quality.records += 1
        quality.continuations += lines - 1
    }

    private mutating func appendHeader() {
        appendLine(
            Array(
                "Timestamp              \tProcess \tTID   \tArea\tCategory\tEventID\tLevel\tMessage\tCorrelation".utf8
            )
        )
        line += 1
        quality.lines += 1
        quality.headers += 1
    }

    private mutating func appendBlank() {
        appendLine(Array(["", "   ", "\t"].randomElement(using: &random)?.utf8 ?? "".utf8))
        line += 1
        quality.lines += 1
        quality.blank += 1
    }

    private mutating func appendStray(_ text: String) {
        appendLine(Array(text.utf8))
        line += 1
        quality.lines += 1
        quality.notUnderstood += 1
    }

    private mutating func appendLine(_ text: [UInt8]) {
        bytes += text
        bytes += lineEnd.utf8
    }
}
