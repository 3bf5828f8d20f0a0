/// A scan of a work item: reads it piece by piece, cuts it into units and hands over the output of each.
///
/// A unit begins with the first row at or after a multiple of the unit's bytes and has all lines up to the next unit's
/// first row, so units do not depend on how the text was read.
struct UnitScan<Sink: UnitSink>: Sendable {
    /// Makes the consumer of a unit's records.
    let makeSink: @Sendable (LogText) -> Sink
    let sizes: ReadingSizes
    /// What tells which text can have no wanted record, and is passed over.
    let sieve: RecordSieve?
    /// Where to count what was read.
    var progress: ReadProgress?
    /// Whether results are handed over as soon as a pipe has nothing more to read.
    var isLive = false

    /// Reads an item; `emit` returns whether to go on.
    func run(_ item: WorkItem, _ emit: (UnitOutput<Sink.Payload>) -> Bool) throws {
        switch item {
        case .part(let part): try scan(part, emit)
        case .stream(let source, let number): try scan(source, number, emit)
        }
    }

    private func scan(_ part: WorkItem.FilePart, _ emit: (UnitOutput<Sink.Payload>) -> Bool) throws {
        try part.file.readPart { file in try scan(part, of: file, emit) }
    }

    private func scan(
        _ part: WorkItem.FilePart,
        of file: PlainFile,
        _ emit: (UnitOutput<Sink.Payload>) -> Bool
    ) throws {
        // Starts at the byte before, which tells whether a line begins here.
        let start = part.isFirst ? max(part.start, file.textStart) : part.start - 1
        var text = TextScan(part.text, at: start, unitEnd: part.end, isInside: !part.isFirst, scan: self)
        if part.isFirst { progress?.add(bytes: Int(clamping: max(0, start - part.start))) }
        var place = text.place
        _ = try text.run(endsAtUnit: true, emit) { buffer, filled in
            let count = try file.read(into: &buffer, from: filled, at: place)
            // What is read beyond its ends belongs to other parts.
            let own = min(place + Int64(count), part.end, part.fileEnd) - max(place, part.start)
            progress?.add(bytes: Int(clamping: max(0, own)))
            place += Int64(count)
            // Bytes that the writer has added since are not read.
            return place > part.fileEnd ? max(0, count - Int(place - part.fileEnd)) : count
        } remark: {
            part.isLast ? ((try? file.change(since: part.fileEnd)) ?? nil).map { TextRemark($0) } : nil
        }
    }

    private func scan(_ source: LogSource, _ number: Int, _ emit: (UnitOutput<Sink.Payload>) -> Bool) throws {
        var stream = try LogStream(source)
        var counted = StreamCount(progress, at: stream.placeAtOpening)
        while let name = try stream.nextText() {
            let undecodable = stream.undecodable
            let text = LogText(source: number, name: name.name, server: name.server)
            var head: [UInt8] = []
            var isNative = false
            var count = 1
            // Text before a failure is still read; the failure is reported at its end.
            var failure: (any Error)?
            while !isNative, count > 0, head.count < sizes.sniffBytes {
                let start = head.count
                head.append(contentsOf: repeatElement(0, count: sizes.pieceBytes))
                do { count = try stream.read(into: &head, from: start) } catch { (count, failure) = (0, error) }
                counted.note(read: count, at: stream.place)
                head.removeLast(sizes.pieceBytes - count)
                // Examines no more than of a plain file, however the bytes come.
                let looked = min(head.count, sizes.sniffBytes)
                isNative = NativeText.isNative(head.span.extracting(first: looked), isWhole: count == 0)
            }
            let wantsMore: Bool
            if isNative {
                var scan = TextScan(text, at: 0, unitEnd: sizes.unitBytes, isInside: false, scan: self)
                scan.begin(with: head)
                let isLive = isLive
                wantsMore = try scan.run(endsAtUnit: false, emit) { limit in
                    !isLive || failure != nil || stream.isReady(within: limit)
                } read: { buffer, filled in
                    guard failure == nil else { return 0 }
                    do {
                        let count = try stream.read(into: &buffer, from: filled)
                        counted.note(read: count, at: stream.place)
                        return count
                    } catch { failure = error }
                    return 0
                } remark: {
                    TextRemark(undecodable: stream.undecodable - undecodable)
                }
            } else {
                try refuseBinary(head, source, name)
                var scan = PasteScan(text, scan: self)
                wantsMore = try scan.run(beginning: head, emit) { buffer in
                    guard failure == nil else { return 0 }
                    do {
                        let count = try stream.read(into: &buffer)
                        counted.note(read: count, at: stream.place)
                        return count
                    } catch { failure = error }
                    return 0
                } remark: {
                    TextRemark(undecodable: stream.undecodable - undecodable)
                }
            }
            if let failure { throw failure }
            guard wantsMore else { return }
        }
    }

    /// Refuses bytes that are not text: many zeros or other control characters at the beginning.
    ///
    /// Otherwise, a program would be read as a paste of messages.
    private func refuseBinary(_ head: [UInt8], _ source: LogSource, _ name: LogTextName) throws(LogSourceError) {
        let beginning = head.prefix(4096)
        guard beginning.count(where: { $0 == 0 }) > beginning.count / 32 else {
            // Of random bytes, one in ten.
            let controls = beginning.count { $0 < 0x20 && !(0x07...0x0D).contains($0) && $0 != 0x1B }
            guard controls > max(4, beginning.count / 20) else { return }
            throw LogSourceError(
                .unsupported,
                source: name.name,
                reason: "it is not text: its beginning is full of control characters",
                advice: "give the ULS logs, from the farm's LOGS folder"
            )
        }
        throw LogSourceError(
            .unsupported,
            source: name.name,
            reason: "it is not text: its beginning is full of zero bytes",
            advice: "if it is UTF-16 without a byte-order mark, use --encoding utf-16le"
        )
    }
}

/// Output of the scan of a work unit: a part of it, or its end.
struct UnitOutput<Payload: Sendable>: Sendable {
    var text: LogText
    var payload: Payload
    /// The account of the unit's lines and bytes; set at the end of a unit.
    var end: UnitEnd?
    /// Set where there is no more to read for the moment.
    var lull: Lull?
}

/// A moment in which a pipe has nothing to read, although it has not ended.
enum Lull: Sendable {
    /// What was written was read; more may be on its way.
    case short
    /// Nothing has come for so long that what was written last counts as complete.
    case long

    /// The time after which a lull is a long one: rows and the lines below them are written together.
    static let patience = Duration.milliseconds(120)
}

/// The account of a work unit.
struct UnitEnd: Sendable {
    var quality: ReadQuality
    var bytes: Int64
    /// Whether the unit is the last of its text.
    var isTextEnd: Bool
    /// Notes for people on what happened to the text.
    var notes: [String] = []
    /// Whether a part could not be read.
    var isIncomplete = false

    mutating func add(_ remark: TextRemark) {
        notes.append(remark.text)
        isIncomplete = isIncomplete || remark.isIncomplete
    }
}

/// A remark on a text that was read to its end.
struct TextRemark: Sendable {
    /// Text for people.
    var text: String
    /// Whether a part of it could not be read.
    fileprivate var isIncomplete = false

    init(_ change: FileChange) {
        text = change.description
        if case .shrank = change { isIncomplete = true }
    }

    /// Says that a text holds no event.
    init(foreign: ForeignText) {
        text = "it holds no event: it looks like \(foreign.description). Expected were rows of a ULS log, with a time,"
        text += " a process, an event ID and a level, or an error message. Of a code or a text without a row,"
        text += " fastctl explain tells more: fastctl explain - <FILE"
    }

    /// Returns `nil` if everything was decodable.
    init?(undecodable count: Int) {
        guard count > 0 else { return nil }
        text = "\(count) place\(count == 1 ? "" : "s") could not be decoded and became U+FFFD: give the right"
        text += " encoding with --encoding"
    }
}

/// A consumer of records that can hand over its results in parts.
protocol UnitSink: RecordSink, SendableMetatype {
    associatedtype Payload: Sendable

    /// Returns the results so far, if they are enough to hand over.
    mutating func drain() -> Payload?

    /// Returns all results so far, if there are any and they may be handed over at any time.
    mutating func drainAll() -> Payload?

    /// See ``EventPrefilter/messageTest``.
    var messageTest: (@Sendable ([UInt8]) -> Bool)? { get }

    /// Returns the remaining results; `parser` knows the texts behind the numbers of columns.
    consuming func finish(_ parser: borrowing RowParser) -> Payload
}

extension UnitSink {
    mutating func drainAll() -> Payload? { nil }

    var messageTest: (@Sendable ([UInt8]) -> Bool)? { nil }
}
