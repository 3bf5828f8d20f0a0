package import ContentFeeding
import Digests
import Glibc
import JSONText

/// A plan in a file, which is checked completely before any part of it is carried out.
package final class PlanFile: Sendable {
    /// The plan's collection, and the state for which it was made.
    package let header: PlanHeader
    /// The number of operations of each kind in the plan.
    package let tally: PlanTally
    /// Whether the plan was edited after it was written.
    package let isEdited: Bool
    /// The digest of all lines.
    package let digest: [UInt8]
    private let file: PlanBytes
    /// The offsets at which the operations begin and end.
    private let operations: Range<Int>

    /// Opens a plan and checks each of its lines.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - allowsEdits: Whether lines may have been changed or removed since the plan was written; the last line must
    ///     exist.
    ///   - note: A closure called with the number of operations checked so far.
    /// - Throws: A ``PlanError`` if the file can't be read, is not a plan, or is incomplete.
    package init(_ path: String, allowsEdits: Bool, note: (Int) -> Void = { _ in }) throws(PlanError) {
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
            guard end == nil else { throw Self.malformed(path, number, "a line follows the last one") }
            if let found = PlanEnd(line.bytes), line.isEnded {
                end = found
                continue
            }
            do throws(PlanLineError) {
                tally.note(try PlannedOperation(line.bytes).operation)
            } catch {
                // A truncated line does not count as malformed.
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
                "the end of the plan '\(path)' is missing, so the rest of it is unknown",
                advice: "copy the whole file, or make the plan again"
            )
        }
        let found = running.digestSoFar()
        isEdited = PlanEnd(tally, found) != end
        guard !isEdited || allowsEdits else {
            throw PlanError(
                .edited,
                "the plan '\(path)' has changed since it was written: it now has \(tally.sums), and had "
                    + "\(end.tally.sums)",
                advice: "if you edited it on purpose, use --edited"
            )
        }
        self.tally = tally
        digest = Array(found.bytes.prefix(32))
        operations = first.end..<last
    }

    private static func malformed(_ path: String, _ line: Int, _ reason: String) -> PlanError {
        PlanError(.malformed, "\(path):\(line): not a line of a plan: \(reason)", advice: "make the plan again")
    }

    /// Returns the next operations from a position in the file, and the position after them; `nil` at the end.
    ///
    /// - Parameters:
    ///   - place: The position at which an earlier call ended; 0 for the first operations.
    ///   - limit: The maximum number of operations.
    ///   - maximumBytes: The number of bytes after which the page ends.
    /// - Returns: The operations, and the position after them.
    /// - Throws: A ``PlanError`` if the file can no longer be read, or was changed.
    package func next(
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
                throw PlanError(.cannotRead, "'\(file.path)' changed while it was being read: \(error)")
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
        /// The offset of the next line.
        let end: Int
        /// Whether the line is terminated.
        let isEnded: Bool
    }

    private let file: PlanBytes
    private var buffer: [UInt8] = []
    /// The offset of the next line, in the buffer and in the file.
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

extension PlanHeader {
    /// Appends the line.
    func append(to bytes: inout [UInt8]) {
        var writer = JSONWriter(onto: bytes)
        bytes = []
        writer.object { writer in
            writer.member("schema", Plan.schema)
            writer.member("command", command)
            writer.member("createdAt", createdAt)
            writer.member("source", source)
            writer.member("by", basis)
            writer.member("query", query)
            writer.member("context", context)
            writer.member("target", target)
            writer.member("collection", collection.rawValue)
            writer.object("state") { $0.members(of: state) }
            writer.key("counts")
            if let counts { writer.object { $0.members(of: counts) } } else { writer.null() }
            writer.member("only", kinds.map(\.rawValue))
            writer.member("minimumShare", minimumShare)
        }
        writer.endLine()
        bytes = writer.takeBytes()
    }

    /// Parses the line; throws an error if it is not the first line of a plan.
    init(_ line: [UInt8]) throws(PlanError) {
        guard let value = try? JSONValue(line), value["schema"].text == Plan.schema else {
            throw PlanError(
                .malformed,
                "its first line is not the first line of a plan",
                advice: line.starts(with: [0x1F, 0x8B])
                    ? "it is compressed: decompress it first, with gzip -d"
                    : "plans come from 'fastctl reconcile --plan' and 'fastctl find --plan'"
            )
        }
        guard let command = value["command"].text, let createdAt = value["createdAt"].text,
            let target = value["target"].text, let collection = value["collection"].text,
            let state = CollectionState(value["state"])
        else { throw PlanError(.malformed, "its first line does not specify the plan's collection") }
        self.init(
            command: command,
            createdAt: createdAt,
            context: value["context"].text,
            target: target,
            collection: CollectionName(collection),
            state: state
        )
        source = value["source"].text
        basis = value["by"].text
        query = value["query"].text
        counts = ComparisonCounts(value["counts"])
        kinds = value["only"].elements.compactMap { $0.text.flatMap { Difference.Kind(rawValue: $0) } }
        if case .number(let share) = value["minimumShare"] { minimumShare = Double(share) }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of state: CollectionState) {
        member("identity", state.identity)
        member("contents", state.contents)
        array("parts") { writer in
            for part in state.parts {
                writer.object { writer in
                    writer.member("name", part.name)
                    writer.member("history", part.history)
                    writer.member("last", Int(part.last))
                }
            }
        }
    }

    /// Writes counts in the same form as machine-readable output.
    package mutating func members(of counts: ComparisonCounts) {
        member("source", counts.source)
        member("collection", counts.collection)
        member("same", counts.same)
        for kind in Difference.Kind.allCases { member(kind.rawValue, counts[kind]) }
        member("settled", counts.settled)
    }
}

extension CollectionState {
    fileprivate init?(_ value: JSONValue) {
        guard let identity = value["identity"].text else { return nil }
        let parts = value["parts"].elements.compactMap { part -> CollectionPart? in
            guard let name = part["name"].text, let last = part["last"].int else { return nil }
            let number = Int64(last)
            return CollectionPart(name: name, history: part["history"].text ?? "", last: number, readable: number)
        }
        guard parts.count == value["parts"].elements.count else { return nil }
        self.init(identity: identity, parts: parts, contents: value["contents"].text)
    }
}

extension ComparisonCounts {
    fileprivate init?(_ value: JSONValue) {
        guard case .object = value else { return nil }
        self.init()
        source = value["source"].amount ?? 0
        collection = value["collection"].amount ?? 0
        same = value["same"].amount ?? 0
        for kind in Difference.Kind.allCases { self[kind] = value[kind.rawValue].amount ?? 0 }
        settled = value["settled"].amount ?? 0
    }
}

extension PlannedOperation {
    /// Appends the line.
    func append(to bytes: inout [UInt8]) {
        var writer = JSONWriter(onto: bytes)
        bytes = []
        writer.object { writer in
            writer.key(operation.kind.rawValue)
            writer.value(utf8: operation.documentID.utf8)
            if let routing = operation.routing { writer.member("routing", routing.text) }
            writer.member("why", reason.rawValue)
            if case .unchanged(let version)? = operation.condition {
                writer.member("version", version.rawValue)
            } else {
                writer.member("version", nil as String?)
            }
            if operation.kind != .remove { writer.member("document", raw: operation.json.onOneLine) }
        }
        writer.endLine()
        bytes = writer.takeBytes()
    }

    /// Parses the line; if it is invalid, throws an error that describes the defect as a sentence.
    init(_ line: [UInt8]) throws(PlanLineError) {
        var found: [String: JSONMembers.Member] = [:]
        do throws(JSONError) {
            for member in try JSONMembers(of: line.span).all {
                guard Self.keys.contains(member.key), found[member.key] == nil else {
                    throw JSONError(offset: member.keyRange.lowerBound, message: "an unexpected key '\(member.key)'")
                }
                found[member.key] = member
            }
        } catch {
            throw PlanLineError("\(error)")
        }
        func text(_ key: String) throws(PlanLineError) -> String? {
            guard let member = found[key], member.kind != .null else { return nil }
            guard member.kind == .string, let text = try? JSONValue(Array(line[member.value])).text else {
                throw PlanLineError("'\(key)' is not a string")
            }
            return text
        }
        guard let reason = try text("why").flatMap({ Reason(rawValue: $0) }) else {
            throw PlanLineError("'why' is not one of \(Reason.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let version = try text("version").map { DocumentVersion(rawValue: $0) }
        let routing = try text("routing").flatMap { Routing($0) }
        func document(_ id: String) throws(PlanLineError) -> Document {
            guard let document = found["document"], document.kind == .object,
                document.value.count <= Document.maximumByteCount
            else { throw PlanLineError("an addition or update without its document, or with one that is too large") }
            return Document(id: try Self.id(id), json: Array(line[document.value]), routing: routing)
        }
        switch (try text("add"), try text("update"), try text("remove")) {
        case (let id?, nil, nil): self = .add(try document(id), replacing: version, reason)
        case (nil, let id?, nil):
            guard let version else { throw PlanLineError("an update without the version that was seen") }
            self = .update(try document(id), version, reason)
        case (nil, nil, let id?):
            guard let version else { throw PlanLineError("a removal without the version that was seen") }
            guard found["document"] == nil else { throw PlanLineError("a removal with a document") }
            self = .remove(DocumentKey(try Self.id(id), routing: routing), version, reason)
        default: throw PlanLineError("not exactly one of an addition, an update and a removal")
        }
    }

    private static let keys: Set<String> = ["add", "update", "remove", "routing", "why", "version", "document"]

    private static func id(_ text: String) throws(PlanLineError) -> DocumentID {
        do throws(InvalidDocumentID) { return try DocumentID(text) } catch { throw PlanLineError("\(error)") }
    }
}

/// A defect in a line of a plan.
struct PlanLineError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The last line of a plan.
struct PlanEnd: Hashable {
    /// The totals; replacements and updates are counted as additions.
    let tally: PlanTally
    /// The digest of all preceding lines, in hexadecimal.
    let digest: String

    init(_ tally: PlanTally, _ digest: Digest) {
        var sums = tally
        (sums.replacements, sums.updates) = (0, 0)
        self.tally = sums
        self.digest = String(digest.hexadecimal.prefix(Self.digits))
    }

    /// The number of hexadecimal digits: 256 bits are enough to distinguish any two plans.
    private static let digits = 64

    /// Parses the line; returns `nil` if it is not the last line of a plan.
    init?(_ line: [UInt8]) {
        guard line.count < 1 << 10, let value = try? JSONValue(line), value["end"].bool == true,
            let digest = value["digest"].text, let additions = value["additions"].int,
            let removals = value["removals"].int
        else { return nil }
        var tally = PlanTally()
        (tally.additions, tally.removals) = (additions, removals)
        (self.tally, self.digest) = (tally, digest)
    }

    func append(to bytes: inout [UInt8]) {
        var writer = JSONWriter(onto: bytes)
        bytes = []
        writer.object { writer in
            writer.member("end", true)
            writer.member("additions", tally.additions)
            writer.member("removals", tally.removals)
            writer.member("digest", digest)
        }
        writer.endLine()
        bytes = writer.takeBytes()
    }
}

extension [UInt8] {
    /// The JSON text with spaces instead of line breaks, which can occur only between tokens.
    package var onOneLine: [UInt8] {
        guard contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return self }
        return map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
    }
}
