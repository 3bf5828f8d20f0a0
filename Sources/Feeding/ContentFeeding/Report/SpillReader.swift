/// Reads records back, a piece of the file at a time.
struct SpillReader {
    /// Why there is no next record, when that is not the end.
    private(set) var failure: SpillError?
    private let file: SpillFile?
    private let fileBytes: Int
    private let tail: [UInt8]
    /// Records that are still to come.
    private var left: Int
    private var offset = 0
    private var piece: [UInt8] = []
    private var index = 0
    private var isTailRead = false

    private static let pieceSize = 256 << 10

    init(file: SpillFile?, fileBytes: Int, tail: [UInt8], count: Int) {
        self.file = file
        self.fileBytes = fileBytes
        self.tail = tail
        left = count
    }

    mutating func next() -> OperationOutcome? {
        while left > 0, failure == nil {
            if let record = SpillRecord.read(piece, at: &index) {
                left -= 1
                return record
            }
            do throws(SpillError) { try fetch() } catch { failure = error }
        }
        return nil
    }

    /// Appends the next bytes to what is left of the piece.
    private mutating func fetch() throws(SpillError) {
        piece.removeFirst(index)
        index = 0
        if offset < fileBytes, let file {
            let bytes = try file.read(at: offset, count: min(Self.pieceSize, fileBytes - offset))
            guard !bytes.isEmpty else { throw missing }
            offset += bytes.count
            piece += bytes
            return
        }
        guard !isTailRead, !tail.isEmpty else { throw missing }
        isTailRead = true
        piece += tail
    }

    private var missing: SpillError {
        SpillError("a file with document errors has become shorter or was changed: the last \(left) of them are lost")
    }
}
