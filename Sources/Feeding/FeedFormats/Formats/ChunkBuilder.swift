import ContentFeeding

/// Collects what the records of an input say until that is a chunk.
struct ChunkBuilder {
    /// True when each record is to be looked at before the next is read.
    var stopsAtEachRecord = false
    private let limits: InputLimits
    private var chunk = OperationChunk()
    private var weight = 0
    private var records = 0
    private var rejectionsKept = 0

    init(limits: InputLimits) { self.limits = limits }

    var isFull: Bool {
        chunk.operations.count >= limits.chunkCount || weight >= limits.chunkBytes || stopsAtEachRecord && records > 0
    }
    var isEmpty: Bool { chunk.input.lines == 0 }

    /// Makes room for the next record when each is looked at.
    mutating func goOn() { records = 0 }

    /// Counts a record, and keeps its operation or what is wrong with it.
    mutating func add(_ reading: consuming RecordReading, source: String, line: Int) {
        records += 1
        switch consume reading {
        case .structure: return
        case .blank: chunk.input.blank += 1
        case .operation(let operation):
            if chunk.operations.isEmpty { chunk.operations.reserveCapacity(min(limits.chunkCount, 1024)) }
            weight += operation.byteCount
            chunk.operations.append(operation)
        case .rejected(let reason):
            chunk.input.rejected += 1
            if rejectionsKept < limits.rejections {
                rejectionsKept += 1
                chunk.rejections.append(InputRejection(source: source, line: line, reason: reason))
            }
        }
        chunk.input.lines += 1
    }

    /// Hands the chunk over and begins the next.
    mutating func take(end: InputOffset, bytes: Int) -> OperationChunk {
        var taken = OperationChunk()
        swap(&taken, &chunk)
        (weight, records) = (0, 0)
        taken.end = end
        taken.input.bytes = bytes
        return taken
    }

    /// Forgets what a resumed job has dealt with already.
    mutating func discard() {
        chunk = OperationChunk()
        (weight, records, rejectionsKept) = (0, 0, 0)
    }
}
