/// The rows of one request in one unit of work.
public struct RequestRows: Sendable, Hashable {
    /// The request.
    public var correlation: CorrelationID
    /// Rows, parts of split messages included.
    public var rows: Int
    /// The time of its first row.
    public var firstTime: LogTime
    /// The time of its last row.
    public var lastTime: LogTime
    /// The worst level of the rows, as a rank; see ``ULSLevel/rank``.
    public var rank: Int
    /// The server that wrote the first row, if the row or the file's name tells.
    public var server: String?
}

/// What a unit of work says of requests.
public struct RequestUnit: Sendable {
    /// The name of the file, or of the entry in its archive.
    public var file: String
    /// Requests in the order of their first rows.
    public var rows: [RequestRows]
    /// The instant before which no later unit has a row, in milliseconds, as far as the names of files tell; `.min` if
    /// nothing is known.
    public var horizon: Int64
}

/// Counts the rows of a unit by the numbers of their correlations.
struct RequestCounter {
    private var counts: [CorrelationCount] = []
    private var servers: [Int] = []

    /// Counts a row if it has a correlation; `server` is the number of its server.
    @inline(__always)
    mutating func add(_ fields: RowFields, _ time: PackedTime, rank: UInt8, server: Int) {
        let number = fields.correlationNumber
        guard number != 0 else { return }
        if number >= counts.count { makeRoom(number) }
        if time < counts[number].first { servers[number] = server }
        counts[number].add(time, rank: rank)
    }

    @inline(never)
    private mutating func makeRoom(_ number: Int) {
        let missing = number - counts.count + 256
        counts.append(contentsOf: repeatElement(.nothing, count: missing))
        servers.append(contentsOf: repeatElement(0, count: missing))
    }

    /// Returns the counts; `ids` are the correlations by number, `names` the servers by number.
    consuming func finish(_ ids: [CorrelationID], _ names: [String?]) -> [RequestRows] {
        counts.indices.compactMap { number in
            let count = counts[number]
            guard count.count > 0, number < ids.count else { return nil }
            return RequestRows(
                correlation: ids[number],
                rows: Int(count.count),
                firstTime: count.first.time,
                lastTime: count.last.time,
                rank: Int(count.rank),
                server: names[servers[number]]
            )
        }
    }
}

extension RequestEdge {
    /// Reads what an end names, and how long that took.
    mutating func readEnd(_ message: Span<UInt8>) {
        guard let scope = ScopeMessage.parse(message), case .leaving(let taken) = scope.kind else { return }
        duration = taken
        name = scope.name.map { String(copying: message.extracting($0)) }
    }
}
