public import ULSLog

/// The problems of one request: the first of them, how many there are, and how bad.
public struct RequestProblem: Sendable, Hashable {
    /// The time of the first row that shows a problem.
    public var time: LogTime
    /// The server that wrote the row; `nil` if that is not known.
    public var server: String?
    /// The event's ID.
    public var eventID: String
    /// The beginning of its message, at most `maximumText` bytes.
    public var text: String
    /// Where it is written.
    public var file: String
    /// The physical line, counted from 1.
    public var line: Int
    /// Rows that show a problem.
    public var rows: Int
    /// The worst level of these rows, as a rank; see `ULSLevel.rank`.
    public var rank: Int
    /// How much the rows tell: an exception most, then a code, then words of failure.
    var strength: Int

    /// The most bytes of a message that are kept.
    static let maximumText = 240

    /// The worst level of the rows; unknown for a bare message.
    public var level: ULSLevel { isBare ? .unknown : ULSLevel(rank: rank) }

    /// Whether the rows have no columns.
    private var isBare: Bool { eventID.isEmpty && time.quality == .none }

    /// Whether a row precedes the first one known: by time, then by server, file and line.
    fileprivate func follows(_ time: LogTime, _ server: String?, _ file: String, _ line: Int) -> Bool {
        if time.instant != self.time.instant { return time.instant < self.time.instant }
        return (server ?? "", file, line) < (self.server ?? "", self.file, self.line)
    }

    fileprivate mutating func add(_ other: Self) {
        let (rows, rank, strength) = (rows + other.rows, min(rank, other.rank), max(strength, other.strength))
        if follows(other.time, other.server, other.file, other.line) { self = other }
        (self.rows, self.rank, self.strength) = (rows, rank, strength)
    }
}

/// The problems of requests, by request.
struct RequestProblems: Sendable {
    private(set) var problems: [GroupKey: RequestProblem] = [:]

    /// Notes a row of a request that shows a problem; `file` is empty where only one file is read.
    mutating func note(_ key: GroupKey, _ row: ProblemRow, _ message: Span<UInt8>, file: String = "") {
        if let index = problems.index(forKey: key) {
            problems.values[index].rows += 1
            problems.values[index].rank = min(problems.values[index].rank, row.rank)
            problems.values[index].strength = max(problems.values[index].strength, row.signs.strength)
            guard problems.values[index].follows(row.time, row.server, file, row.line) else { return }
            problems.values[index].time = row.time
            problems.values[index].server = row.server
            problems.values[index].eventID = String(decoding: row.eventID, as: UTF8.self)
            problems.values[index].text = Self.text(message)
            problems.values[index].file = file
            problems.values[index].line = row.line
        } else {
            problems[key] = RequestProblem(
                time: row.time,
                server: row.server,
                eventID: String(decoding: row.eventID, as: UTF8.self),
                text: Self.text(message),
                file: file,
                line: row.line,
                rows: 1,
                rank: row.rank,
                strength: row.signs.strength
            )
        }
    }

    /// Adds the problems of a unit of a file; `lines` is the number of lines of text before the unit.
    mutating func add(_ unit: RequestProblems, file: String, lines: Int) {
        for (key, var problem) in unit.problems {
            problem.file = file
            problem.line += lines
            if let index = problems.index(forKey: key) {
                problems.values[index].add(problem)
            } else {
                problems[key] = problem
            }
        }
    }

    /// Removes and returns the problems of a request.
    mutating func take(_ key: GroupKey) -> RequestProblem? { problems.removeValue(forKey: key) }

    /// The beginning of a message, cut where a character begins.
    private static func text(_ message: Span<UInt8>) -> String {
        var end = min(message.count, RequestProblem.maximumText)
        while end < message.count, end > 0, message[end] & 0xC0 == 0x80 { end -= 1 }
        return message.extracting(first: end).text
    }
}
