import Digests
import Files
import Glibc
import JSONText
package import TextKit

/// The log of every act that changed something, or was refused: lines that are only ever appended.
///
/// Each line has a digest over the one before and itself, so that a line that was changed, taken out or put elsewhere shows.
package actor AuditLog {
    /// An act.
    struct Entry: Sendable {
        let principal: String
        let action: String
        let collection: String
        /// The document, or the session and batch.
        let subject: String
        let status: Int
        let request: String
        let address: String
    }

    private let descriptor: CInt
    private let path: String
    private var number: Int
    private var chain: [UInt8]

    /// Opens the log at `path`, or creates it, and continues behind its last line.
    init(path: String) throws {
        self.path = path
        if NewFile.exists(path) {
            let report = try Self.verify(path)
            if let defect = report.defect, !defect.isCut { throw AuditError(path, defect) }
            (number, chain) = (report.lines, report.chain)
            descriptor = open(path, O_WRONLY | O_CLOEXEC, 0o600)
            // A line that a crash cut short is not one.
            if descriptor >= 0 { _ = ftruncate(descriptor, off_t(report.bytes)) }
            if descriptor >= 0 { lseek(descriptor, 0, SEEK_END) }
        } else {
            (number, chain) = (0, Self.seed)
            descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else { throw AuditError(path: path, reason: String(cString: strerror(errno))) }
    }

    deinit { close(descriptor) }

    /// Appends an act; it is on the disk when this returns.
    func append(_ entry: Entry, at now: Duration) throws {
        var writer = JSONWriter()
        writer.object { object in
            object.member("number", number + 1)
            object.member("at", UTCTimestamp(since1970: now).description)
            object.member("principal", entry.principal)
            object.member("action", entry.action)
            object.member("collection", entry.collection)
            object.member("subject", entry.subject)
            object.member("status", entry.status)
            object.member("request", entry.request)
            object.member("address", entry.address)
        }
        let body = writer.takeBytes()
        let next = Self.link(chain, body)
        let line = next.hexadecimal.utf8 + [UInt8(ascii: " ")] + body + [UInt8(ascii: "\n")]
        var written = 0
        while written < line.count {
            let count = line[written...].withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw AuditError(path: path, reason: String(cString: strerror(errno))) }
            written += count
        }
        guard fdatasync(descriptor) == 0 else { throw AuditError(path: path, reason: String(cString: strerror(errno))) }
        (number, chain) = (number + 1, next)
    }

    private static let seed = [UInt8](repeating: 0, count: 32)
    private static let chainDigits = 64

    private static func link(_ chain: [UInt8], _ body: [UInt8]) -> [UInt8] {
        var function = SHA256()
        return function.digest(of: chain + body).bytes
    }

    // MARK: Verifying

    /// The result of reading a log.
    package struct Report: Sendable, Hashable {
        /// The lines that follow from each other, and their bytes.
        package let lines: Int
        let bytes: Int
        fileprivate let chain: [UInt8]
        /// The first line that does not; `nil` if all do.
        package let defect: Defect?
    }

    /// A line that does not follow from the one before.
    package struct Defect: Sendable, Hashable {
        let line: Int
        /// Whether the file ends in the middle of the line, as after a crash.
        package let isCut: Bool

        package var reason: String {
            isCut
                ? "line \(line) is cut short, as by a crash"
                : "line \(line) does not follow from the line before: it was changed, or lines were taken out or moved"
        }
    }

    /// Reads a log from its beginning, and checks each line.
    package static func verify(_ path: String) throws -> Report {
        let bytes = try SmallFile.read(path, maximum: 1 << 30)
        var (chain, lines, start) = (seed, 0, 0)
        while start < bytes.count {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
                return Report(lines: lines, bytes: start, chain: chain, defect: Defect(line: lines + 1, isCut: true))
            }
            let line = bytes[start..<end]
            let body = Array(line.dropFirst(chainDigits + 1))
            let next = link(chain, body)
            guard line.starts(with: next.hexadecimal.utf8), line.count > chainDigits else {
                return Report(lines: lines, bytes: start, chain: chain, defect: Defect(line: lines + 1, isCut: false))
            }
            (chain, lines, start) = (next, lines + 1, end + 1)
        }
        return Report(lines: lines, bytes: start, chain: chain, defect: nil)
    }
}

/// A failure to write the audit log, or a log that was changed.
package struct AuditError: Error, AdvisedError {
    private let message: String
    private let advice: String

    fileprivate init(path: String, reason: String) {
        message = "\(path): \(reason)"
        advice = "nothing is done that can't be logged; check the disk"
    }

    fileprivate init(_ path: String, _ defect: AuditLog.Defect) {
        message = "\(path): \(defect.reason)"
        advice = "keep the file as evidence, and name another folder of the state"
    }

    package var failure: Failure { Failure(.inputOutput, message, advice: advice) }
}

extension [UInt8] {
    /// The bytes as hexadecimal digits, two each.
    var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(count * 2)
        for byte in self { digits.append(hexadecimal: byte) }
        return String(decoding: digits, as: UTF8.self)
    }
}
