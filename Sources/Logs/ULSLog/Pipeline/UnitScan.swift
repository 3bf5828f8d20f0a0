/// Scans a work item: reads it piece by piece, cuts it into units and hands over what each of them gives.
///
/// A unit begins with the first row at or behind a multiple of the unit's bytes, and has all lines up to the next one's
/// first row; so units do not depend on how the text was read.
struct UnitScan<Sink: UnitSink> {
    /// Makes the consumer of a unit's records.
    let makeSink: @Sendable (LogText) -> Sink
    let sizes: ReadingSizes
    /// What records must hold to be wanted at all; text without it is passed over.
    let literal: CorrelationLiteral?

    /// Reads an item; `emit` says whether to go on.
    func run(_ item: WorkItem, _ emit: (UnitOutput<Sink.Payload>) -> Bool) throws {
        switch item {
        case .part(let part): try scan(part, emit)
        case .stream(let source, let number): try scan(source, number, emit)
        }
    }

    private func scan(_ part: WorkItem.FilePart, _ emit: (UnitOutput<Sink.Payload>) -> Bool) throws {
        let file = try PlainFile(path: part.path)
        // From the byte before, which tells whether a line begins here.
        let start = part.isFirst ? max(part.start, file.textStart) : part.start - 1
        var place = start
        var text = TextScan(part.text, at: start, unitEnd: part.end, isInside: !part.isFirst, scan: self)
        _ = try text.run(endsAtUnit: true, emit) { buffer, filled in
            let count = try file.read(into: &buffer, from: filled, at: place)
            place += Int64(count)
            guard place > part.fileEnd else { return count }
            // What the writer has added since is not read.
            return max(0, count - Int(place - part.fileEnd))
        } notes: {
            part.isLast ? (try? file.change()).flatMap { $0 }.map { [$0.description] } ?? [] : []
        }
    }

    private func scan(
        _ source: LogSource,
        _ number: Int,
        _ emit: (UnitOutput<Sink.Payload>) -> Bool
    ) throws {
        var stream = try LogStream(source)
        while let name = try stream.nextText() {
            let text = LogText(source: number, name: name.name, server: name.server)
            var head = SniffedText(limit: sizes.sniffBytes, pieceBytes: sizes.pieceBytes)
            var failure: LogSourceError?
            do throws(LogSourceError) {
                while try head.wantsMore {
                    (buffer, filled) throws(LogSourceError) in try stream.read(into: &buffer, from: filled)
                } {}
            } catch {
                failure = error
            }
            if let failure { throw failure }
            let wantsMore: Bool
            if head.isNative {
                var scan = TextScan(text, at: 0, unitEnd: sizes.unitBytes, isInside: false, scan: self)
                scan.begin(with: head.bytes)
                wantsMore = try scan.run(endsAtUnit: false, emit) { buffer, filled in
                    try stream.read(into: &buffer, from: filled)
                } notes: {
                    []
                }
            } else {
                var scan = PasteScan(text, makeSink(text), sizes: sizes)
                wantsMore = try scan.run(beginning: head.bytes, emit) { buffer, filled in
                    try stream.read(into: &buffer, from: filled)
                }
            }
            guard wantsMore else { return }
        }
    }
}
