import Synchronization

/// How far a reading of logs is: counted by the threads that read, looked at by whoever shows it.
///
/// One object may count several readings, one after the other; their bytes add up.
public final class ReadProgress: Sendable {
    private let expected = Atomic(0)
    private let isEndless = Atomic(false)
    private let read = Atomic(0)
    private let handedOver = Atomic(0)

    /// Creates a count of nothing.
    public init() {}

    /// Bytes that were read, of packed files as they are packed.
    public var bytes: Int { read.load(ordering: .relaxed) }

    /// Bytes that there are to read, without what a window leaves out; `nil` before reading begins, and of a pipe.
    public var totalBytes: Int? {
        let total = expected.load(ordering: .relaxed)
        return total == 0 || isEndless.load(ordering: .relaxed) ? nil : total
    }

    /// Events handed over or counted so far; where a prefilter chooses, those that it chose from.
    public var events: Int { handedOver.load(ordering: .relaxed) }

    func add(bytes count: Int) { read.wrappingAdd(count, ordering: .relaxed) }

    func add(events count: Int) { handedOver.wrappingAdd(count, ordering: .relaxed) }

    /// Notes what is about to be read.
    func expect(_ items: [WorkItem]) {
        for item in items {
            guard let bytes = item.byteCount else {
                isEndless.store(true, ordering: .relaxed)
                continue
            }
            expected.wrappingAdd(Int(clamping: bytes), ordering: .relaxed)
        }
    }
}

extension WorkItem {
    /// The bytes of a work item as they are in its file; `nil` for a pipe.
    fileprivate var byteCount: Int64? {
        switch self {
        case .part(let part): return max(0, min(part.end, part.fileEnd) - part.start)
        case .stream(let source, _):
            guard case .stream(let origin) = source.kind else {
                guard case .file(_, let size) = source.kind else { return nil }
                return size
            }
            switch origin {
            case .memory(let text): return Int64(text.bytes.count)
            case .path(let path): return FileStatus(path: path).flatMap { $0.kind == .file ? $0.size : nil }
            case .standardInput:
                guard let file = try? OpenFile.standardInput(), let place = file.place,
                    let status = try? file.status(), status.kind == .file
                else { return nil }
                return max(0, status.size - place)
            }
        }
    }
}

/// The count of a stream's bytes: by its place in the file where it has one, so that packed bytes count as packed.
struct StreamCount {
    private let progress: ReadProgress?
    private var place: Int64 = 0

    init(_ progress: ReadProgress?, at place: Int64?) {
        self.progress = progress
        self.place = place ?? 0
    }

    /// Notes that so many bytes of text were read, up to a place in the file.
    mutating func note(read count: Int, at place: Int64?) {
        guard let progress else { return }
        guard let place else { return progress.add(bytes: count) }
        progress.add(bytes: Int(clamping: place - self.place))
        self.place = place
    }
}
