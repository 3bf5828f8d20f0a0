extension LogReader {
    /// What the records of this reading must be.
    var selection: Selection {
        Selection(filter: RecordFilter(filter), window: window, zones: zones, gapMinimum: gapMinimum)
    }

    /// Starts reading a plan's items in these lanes.
    func start<Sink: UnitSink>(
        _ lanes: [[WorkItem]],
        literal: CorrelationLiteral? = nil,
        makeSink: @escaping @Sendable (LogText) -> Sink
    ) -> WorkQueue<Sink.Payload> {
        let queue = WorkQueue<Sink.Payload>(lanes: lanes, jobs: jobs)
        let scan = UnitScan(makeSink: makeSink, sizes: sizes, literal: literal)
        queue.start { item, emit in
            do {
                try scan.run(item, emit)
            } catch {
                throw SourceFailure(source: item.source, reason: "\(error)")
            }
        }
        return queue
    }
}

/// Why a source could not be read to its end.
struct SourceFailure: Error {
    var source: Int
    var reason: String
}

extension WorkItem {
    /// The number of the source it belongs to.
    var source: Int {
        switch self {
        case .part(let part): part.text.source
        case .stream(_, let number): number
        }
    }
}
