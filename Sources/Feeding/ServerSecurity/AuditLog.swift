import Digests
import Files
import Glibc
import JSONText
package import TextKit
import Threads

/// The append-only log of every action that changed something or was refused.
///
/// Each line has a digest over the previous line and itself, so a line that was changed, removed or moved is detected.
package actor AuditLog {
    /// An action to be recorded.
    package struct Entry: Sendable {
        package let principal: String
        package let action: String
        package let collection: String
        /// The object of the action: the document, or the session and batch.
        package let subject: String
        package let status: Int
        package let request: String
        package let address: String

        package init(
            principal: String,
            action: String,
            collection: String,
            subject: String,
            status: Int,
            request: String,
            address: String
        ) {
            (self.principal, self.action, self.collection, self.subject) = (principal, action, collection, subject)
            (self.status, self.request, self.address) = (status, request, address)
        }
    }

    private let descriptor: CInt
    private let path: String
    private var number: Int
    private var chain: [UInt8]
    /// The end of the last line on disk; any data that a failed write has left after it is overwritten.
    private var end: Int
    private var waiting: [Waiting] = []
    private var isWriting = false
    /// The number of actions recorded since the log was opened, and the number of syncs to disk that this required.
    package private(set) var appended = (lines: 0, syncs: 0)

    private struct Waiting {
        let entry: Entry
        let at: Duration
        let answer: CheckedContinuation<Result<Void, AuditError>, Never>
    }

    /// Opens the log at `path`, creating it if necessary, and continues after its last line.
    ///
    /// Only the last lines are read and checked against each other; ``verify(_:)`` reads all lines.
    package init(path: String) throws {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw AuditError(path: path, code: errno) }
        do {
            let report = try Self.check(descriptor, path, fromTail: true)
            if let defect = report.defect, !defect.isCut { throw AuditError(path, defect) }
            (number, chain, end) = (report.lines, report.chain, report.bytes)
            // A line that was cut short by a crash is ignored.
            guard report.defect == nil || ftruncate(descriptor, off_t(report.bytes)) == 0 else {
                throw AuditError(path: path, code: errno)
            }
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    // MARK: Appending

    /// Appends an action, which is on disk when this function returns.
    ///
    /// Actions that arrive at the same time share one sync to disk.
    package func append(_ entry: Entry, at now: Duration) async throws {
        try await withCheckedContinuation { continuation in
            waiting.append(Waiting(entry: entry, at: now, answer: continuation))
            guard !isWriting else { return }
            isWriting = true
            Task { await writeAll() }
        }.get()
    }

    /// Returns true as soon as the actor runs this call, which shows that the log is not blocked.
    package func answers() -> Bool { true }

    /// Writes the waiting actions, and any that arrive in the meantime; actions that wait at the same time share one
    /// sync to disk.
    private func writeAll() async {
        while !waiting.isEmpty {
            let group = waiting
            waiting = []
            var (lines, next) = ([UInt8](), chain)
            for (index, item) in group.enumerated() {
                let body = Self.body(of: item.entry, number: number + index + 1, at: item.at)
                next = Self.link(next, body)
                lines += next.hexadecimal.utf8
                lines.append(UInt8(ascii: " "))
                lines += body
                lines.append(UInt8(ascii: "\n"))
            }
            let code = await onOwnThread { [lines, descriptor, end] in Self.write(lines, to: descriptor, at: end) }
            if let code {
                // None of these actions is recorded: a partial line that remains is ignored, and the next line
                // overwrites it.
                for item in group { item.answer.resume(returning: .failure(AuditError(path: path, code: code))) }
            } else {
                (number, chain, end) = (number + group.count, next, end + lines.count)
                appended = (appended.lines + group.count, appended.syncs + 1)
                for item in group { item.answer.resume(returning: .success(())) }
            }
        }
        isWriting = false
    }

    private static func body(of entry: Entry, number: Int, at now: Duration) -> [UInt8] {
        JSONWriter.object { object in
            object.member("number", number)
            object.member("at", UTCTimestamp(since1970: now).description)
            object.member("principal", entry.principal)
            object.member("action", entry.action)
            object.member("collection", entry.collection)
            object.member("subject", entry.subject)
            object.member("status", entry.status)
            object.member("request", entry.request)
            object.member("address", entry.address)
        }
    }

    /// Writes bytes at an offset and syncs them to disk; in case of a failure, removes all of these bytes and returns
    /// the error code.
    private static func write(_ bytes: [UInt8], to descriptor: CInt, at place: Int) -> CInt? {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(place + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return takeBack(errno, descriptor, place) }
            written += count
        }
        return fdatasync(descriptor) == 0 ? nil : takeBack(errno, descriptor, place)
    }

    private static func takeBack(_ code: CInt, _ descriptor: CInt, _ place: Int) -> CInt {
        _ = ftruncate(descriptor, off_t(place))
        return code
    }

    private static let seed = [UInt8](repeating: 0, count: 32)
    private static let chainDigits = 64

    private static func link(_ chain: [UInt8], _ body: [UInt8]) -> [UInt8] {
        var function = SHA256()
        return function.digest(of: chain + body).bytes
    }

    // MARK: Reading

    /// A part of the log.
    package struct Page: Sendable {
        /// The matching lines, newest first.
        package var lines: [(number: Int, json: [UInt8])] = []
        /// The line number before which the next page begins; `nil` if all lines were examined.
        package var next: Int?
    }

    /// The number of bytes that are examined for one page.
    private static let examinedBytes = 8 << 20

    /// Returns at most `limit` lines, newest first: the lines before a given line, or the last lines of the log.
    ///
    /// A search examines only a few megabytes for each page, so a page may have fewer lines, or none, and still be
    /// followed by another page.
    package func page(
        before number: Int?,
        limit: Int,
        where isSought: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws -> Page {
        let reader = LogReader(descriptor: descriptor, path: path, end: end)
        return try await onOwnThread {
            Result { () throws(AuditError) in try reader.page(before: number, limit: limit, where: isSought) }
        }.get()
    }

    /// The lines of a log up to an offset, which is the end of a line; lines after it may be incomplete.
    private struct LogReader {
        let descriptor: CInt
        let path: String
        let end: Int

        func page(before number: Int?, limit: Int, where isSought: ([UInt8]) -> Bool) throws(AuditError) -> Page {
            var place = try number.map { number throws(AuditError) in try start(ofLine: number) } ?? end
            var (page, last, examined, rest) = (Page(), 0, 0, [UInt8]())
            while place > 0 {
                let start = max(0, place - AuditLog.pieceBytes)
                rest = try bytes(start..<place) + rest
                place = start
                // The beginning of the first line is in the previous piece.
                let whole = place == 0 ? 0 : rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.count
                for line in Self.lines(in: rest[whole...]).dropLast().reversed() {
                    guard page.lines.count < limit, examined < AuditLog.examinedBytes else {
                        page.next = last
                        return page
                    }
                    let body = Array(line.dropFirst(AuditLog.chainDigits + 1))
                    guard let number = AuditLog.number(in: body) else { throw AuditError(unreadable: path) }
                    (last, examined) = (number, examined + line.count)
                    if isSought(body) { page.lines.append((number, body)) }
                }
                rest.removeSubrange(whole...)
                guard rest.count <= AuditLog.maximumLine else { throw AuditError(unreadable: path) }
            }
            return page
        }

        /// Returns the offset of the first line whose number is not lower than the given number; this is a binary
        /// search, because the numbers in a log are ascending.
        private func start(ofLine number: Int) throws(AuditError) -> Int {
            // The line at `low` has a lower number, or is the first line; no line that begins at or after `high` has a
            // lower number.
            var (low, high) = (0, end)
            while high - low > AuditLog.pieceBytes {
                let middle = low + (high - low) / 2
                let piece = try bytes(middle..<min(end, middle + AuditLog.maximumLine))
                let start = piece.firstIndex(of: UInt8(ascii: "\n")).map { middle + $0 + 1 } ?? end
                if start < high, try self.number(at: start) < number { low = start } else { high = middle }
            }
            var place = low
            // The last line feed is followed by part of a line, or by the end of the data.
            for line in Self.lines(in: try bytes(low..<min(end, high + AuditLog.maximumLine))[...]).dropLast() {
                guard let found = AuditLog.number(in: Array(line.dropFirst(AuditLog.chainDigits + 1))) else {
                    throw AuditError(unreadable: path)
                }
                guard found < number else { break }
                place += line.count + 1
            }
            return place
        }

        private static func lines(in bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
            bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        }

        private func number(at place: Int) throws(AuditError) -> Int {
            let head = try bytes(place..<min(end, place + AuditLog.chainDigits + 64))
            guard let number = AuditLog.number(in: Array(head.dropFirst(AuditLog.chainDigits + 1))) else {
                throw AuditError(unreadable: path)
            }
            return number
        }

        private func bytes(_ range: Range<Int>) throws(AuditError) -> [UInt8] {
            var all: [UInt8] = []
            while all.count < range.count {
                let (place, count) = (range.lowerBound + all.count, range.count - all.count)
                var piece = [UInt8](repeating: 0, count: count)
                let read = pread(descriptor, &piece, count, off_t(place))
                if read < 0, errno == EINTR { continue }
                // The file is shorter than before, so another program has truncated it.
                guard read > 0 else {
                    throw read < 0 ? AuditError(path: path, code: errno) : AuditError(unreadable: path)
                }
                all += piece[..<read]
            }
            return all
        }
    }

    // MARK: Verifying

    /// The result of reading a log.
    package struct Report: Sendable, Hashable {
        /// The number of the last valid line, and the number of bytes up to its end.
        package let lines: Int
        let bytes: Int
        fileprivate let chain: [UInt8]
        /// The first invalid line; `nil` if all lines are valid.
        package let defect: Defect?
    }

    /// A line that is incomplete, or whose digest does not match the previous line.
    package struct Defect: Sendable, Hashable {
        package let line: Int
        /// Whether the file ends in the middle of this line, as it may after a crash.
        package let isCut: Bool

        package var reason: String {
            isCut
                ? "line \(line) is cut short, as if by a crash"
                : "line \(line) does not follow from the line before: it was changed, or lines were removed or moved"
        }
    }

    /// Reads a log from its beginning, and checks each line; the memory used does not depend on the size of the log.
    package static func verify(_ path: String) throws -> Report {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AuditError(path: path, code: errno) }
        defer { close(descriptor) }
        return try check(descriptor, path, fromTail: false)
    }

    /// The number of bytes read at once, the number of bytes read at the end of a log, and the maximum length of a
    /// line.
    private static let (pieceBytes, tailBytes, maximumLine) = (64 << 10, 1 << 20, 256 << 10)

    /// Checks all lines of a log, or only the lines at its end, in which case the first of these is accepted unchecked.
    private static func check(_ descriptor: CInt, _ path: String, fromTail: Bool) throws -> Report {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size >= 0 else { throw AuditError(path: path, code: errno) }
        let start = fromTail ? max(0, size - tailBytes) : 0
        var lines = ChainedLines(at: start)
        var place = start
        while place < size, lines.defect == nil {
            let piece = try [UInt8](unsafeUninitializedCapacity: min(pieceBytes, size - place)) { buffer, count in
                let read = unsafe pread(descriptor, buffer.baseAddress, min(pieceBytes, size - place), off_t(place))
                guard read >= 0 else { throw AuditError(path: path, code: errno) }
                count = read
            }
            guard !piece.isEmpty else { break }
            place += piece.count
            lines.take(piece)
        }
        return lines.report
    }

    /// A checker of lines, which reads them in pieces and checks each against the previous line.
    private struct ChainedLines {
        private var chain = AuditLog.seed
        private var lines = 0
        /// The offset after the last valid line.
        private var end: Int
        private var rest: [UInt8] = []
        /// Whether the beginning of the first line may be missing, and whether there is no previous line with which to
        /// compare the first complete line.
        private var (isInside, isFirst): (Bool, Bool)
        private(set) var defect: Defect?

        init(at place: Int) { (end, isInside, isFirst) = (place, place > 0, place > 0) }

        var report: Report {
            // A log whose tail contains no complete line can't be continued.
            let cut = rest.isEmpty && !isFirst ? nil : Defect(line: lines + 1, isCut: !isFirst)
            return Report(lines: lines, bytes: end, chain: chain, defect: defect ?? cut)
        }

        mutating func take(_ piece: [UInt8]) {
            rest += piece
            var start = 0
            while defect == nil, let length = rest[start...].firstIndex(of: UInt8(ascii: "\n")).map({ $0 - start }) {
                take(line: rest[start..<(start + length)])
                start += length + 1
            }
            rest.removeFirst(start)
            // Valid lines are shorter than this, and the memory for a line must be bounded.
            if rest.count > AuditLog.maximumLine { defect = defect ?? Defect(line: lines + 1, isCut: false) }
        }

        private mutating func take(line: ArraySlice<UInt8>) {
            if isInside {
                isInside = false
                end += line.count + 1
                return
            }
            let body = Array(line.dropFirst(AuditLog.chainDigits + 1))
            if isFirst, let number = AuditLog.number(in: body),
                let link = [UInt8](hexadecimal: String(decoding: line.prefix(AuditLog.chainDigits), as: UTF8.self)),
                link.count == AuditLog.seed.count
            {
                (chain, lines, isFirst) = (link, number, false)
            } else {
                let next = AuditLog.link(chain, body)
                guard !isFirst, line.starts(with: next.hexadecimal.utf8), line.count > AuditLog.chainDigits else {
                    defect = Defect(line: lines + 1, isCut: false)
                    return
                }
                (chain, lines) = (next, lines + 1)
            }
            end += line.count + 1
        }
    }

    /// Returns the number of a line, which is the first member of the line's object.
    private static func number(in body: [UInt8]) -> Int? {
        let key = Array("{\"number\":".utf8)
        guard body.starts(with: key) else { return nil }
        return Int(String(decoding: body.dropFirst(key.count).prefix(while: \.isDigit), as: UTF8.self))
    }
}

/// A failure to write the audit log, or the detection of a log that was changed.
package struct AuditError: Error, AdvisedError {
    private let message: String
    private let advice: String

    init(path: String, code: CInt) {
        message = "\(path): \(String(cString: strerror(code)))"
        advice = "only operations that can be logged are carried out; check the disk"
    }

    fileprivate init(unreadable path: String) {
        message = "\(path): a line can't be read: it was changed or removed"
        advice = "keep the file as evidence, and check it: content-distributor audit verify"
    }

    fileprivate init(_ path: String, _ defect: AuditLog.Defect) {
        message = "\(path): \(defect.reason)"
        advice = "keep the file as evidence, and specify another state folder"
    }

    package var failure: Failure { Failure(.inputOutput, message, advice: advice) }
}
