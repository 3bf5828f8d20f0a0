public import ContentFeeding
import Digests
import Glibc

/// A plan in a file, checked from its first line to its last before anything of it is done.
public final class PlanFile: Sendable {
    /// What the plan is for.
    public let header: PlanHeader
    /// The operations in it.
    public let tally: PlanTally
    /// Whether it is not as it was written.
    public let isEdited: Bool
    /// The digest of all of its lines.
    public let digest: [UInt8]
    private let file: PlanBytes
    /// Where the operations begin, and where they end.
    private let operations: Range<Int>

    /// Opens a plan and checks each of its lines.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - allowsEdits: Whether lines may have been changed or removed since it was written; its end must be there.
    ///   - note: Called with the number of operations that were checked so far.
    /// - Throws: A ``PlanError`` if the file can't be read, is no plan, or is not whole.
    public init(_ path: String, allowsEdits: Bool, note: (Int) -> Void = { _ in }) throws(PlanError) {
        file = try PlanBytes(path)
        var lines = PlanLines(file, from: 0)
        var running = RunningBLAKE2b()
        guard let first = try lines.next() else { throw PlanError(.malformed, "the plan '\(path)' is empty") }
        do throws(PlanError) {
            header = try PlanHeader(first.bytes)
        } catch {
            throw PlanError(error.code, "'\(path)' is not a plan: \(error.message)", advice: error.advice)
        }
        running.update(first.bytes.span)
        running.update([0x0A].span)
        var tally = PlanTally()
        var number = 1
        var end: PlanEnd?
        var last = first.end
        while let line = try lines.next() {
            number += 1
            guard end == nil else { throw Self.malformed(path, number, "there is a line behind the last one") }
            if let found = PlanEnd(line.bytes), line.isEnded {
                end = found
                continue
            }
            do throws(PlanLineError) {
                tally.note(try PlannedOperation(line.bytes).operation)
            } catch {
                // What is cut off is no mistake in a line.
                guard line.isEnded else { break }
                throw Self.malformed(path, number, "\(error)")
            }
            note(tally.operations)
            last = line.end
            running.update(line.bytes.span)
            running.update([0x0A].span)
        }
        guard let end else {
            throw PlanError(
                .truncated,
                "the end of the plan '\(path)' is missing, so nobody knows what else was planned",
                advice: "copy the whole file, or make the plan once more"
            )
        }
        let found = running.digestSoFar()
        isEdited = PlanEnd(tally, found) != end
        guard !isEdited || allowsEdits else {
            throw PlanError(
                .edited,
                "the plan '\(path)' was changed since it was written: it has \(tally.words) now, and had "
                    + "\(end.tally.words)",
                advice: "if that was you, and on purpose, say --edited"
            )
        }
        self.tally = tally
        digest = Array(found.bytes.prefix(32))
        operations = first.end..<last
    }

    private static func malformed(_ path: String, _ line: Int, _ reason: String) -> PlanError {
        PlanError(.malformed, "\(path):\(line): not a line of a plan: \(reason)", advice: "make the plan once more")
    }

    /// Returns the next operations from a place in the file, and the place behind them; `nil` at the end.
    ///
    /// - Parameters:
    ///   - place: Where an earlier call has ended; 0 for the first operations.
    ///   - limit: The most operations.
    ///   - maximumBytes: The bytes with which it ends.
    /// - Returns: The operations, and the place.
    /// - Throws: A ``PlanError`` if the file can't be read any more, or was changed.
    public func next(
        from place: Int,
        limit: Int,
        maximumBytes: Int
    ) throws(PlanError) -> (operations: [ContentOperation], end: Int)? {
        var lines = PlanLines(file, from: max(place, operations.lowerBound))
        var found: [ContentOperation] = []
        var (bytes, end) = (0, max(place, operations.lowerBound))
        while end < operations.upperBound, found.count < limit, bytes < maximumBytes, let line = try lines.next() {
            do throws(PlanLineError) {
                found.append(try PlannedOperation(line.bytes).operation)
            } catch {
                throw PlanError(.cannotRead, "'\(file.path)' was changed while it was read: \(error)")
            }
            bytes += line.bytes.count
            end = line.end
        }
        return found.isEmpty ? nil : (found, end)
    }
}

/// The lines of a plan.
private struct PlanLines {
    struct Line {
        /// The line without its end.
        let bytes: [UInt8]
        /// Where the next line begins.
        let end: Int
        /// Whether it has an end.
        let isEnded: Bool
    }

    private let file: PlanBytes
    private var buffer: [UInt8] = []
    /// Where the next line begins, in the buffer and in the file.
    private var start = 0
    private var offset: Int
    private var isAtEnd = false

    private static let pieceBytes = 256 << 10

    init(_ file: PlanBytes, from offset: Int) { (self.file, self.offset) = (file, offset) }

    mutating func next() throws(PlanError) -> Line? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) { return line(to: end, isEnded: true) }
            searched = buffer.count
            if isAtEnd { return start == buffer.count ? nil : line(to: buffer.count, isEnded: false) }
            guard buffer.count - start <= Plan.longestLine else {
                throw PlanError(.malformed, "'\(file.path)' has a line of more than \(Plan.longestLine) bytes")
            }
            buffer.removeFirst(start)
            searched -= start
            start = 0
            let piece = try file.read(at: offset + buffer.count, count: Self.pieceBytes)
            isAtEnd = piece.isEmpty
            buffer += piece
        }
    }

    private mutating func line(to end: Int, isEnded: Bool) -> Line {
        let bytes = Array(buffer[start..<end])
        let count = end - start + (isEnded ? 1 : 0)
        offset += count
        start += count
        return Line(bytes: bytes, end: offset, isEnded: isEnded)
    }
}

/// An open file that is read in pieces.
private final class PlanBytes: Sendable {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws(PlanError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw PlanError(.cannotOpen, "cannot open the plan '\(path)': \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw PlanError(.cannotOpen, "the plan '\(path)' is not a regular file", advice: "save it to a file first")
        }
    }

    deinit { close(descriptor) }

    func read(at offset: Int, count: Int) throws(PlanError) -> [UInt8] {
        var done = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat {
                done = pread(descriptor, buffer.baseAddress, count, off_t(offset))
            } while done < 0 && errno == EINTR
            initialized = max(done, 0)
        }
        guard done >= 0 else {
            throw PlanError(.cannotRead, "cannot read the plan '\(path)': \(String(cString: strerror(errno)))")
        }
        return bytes
    }
}
