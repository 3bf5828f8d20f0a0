import ContentFeeding
import Files
import ReportRendering

/// A printer of a dry run: its items to standard output in one form, all of it to the report.
///
/// A class, because the loop and the end of the run share its buffers.
final class PreviewPrinter {
    private let options: OutputOptions
    private let showsAll: Bool
    private let collection: CollectionName?
    private let output: StandardOutput
    private var bytes: [UInt8] = []
    /// The object of `-o json`.
    private var object: PreviewObject?
    private var report: Report?
    private var shown = 0
    private var unshown = 0
    private var named = 0
    private var unnamed = 0
    private var unwritableNames = 0

    private struct Report {
        let file: AtomicFile
        var object: PreviewObject
        var bytes: [UInt8]
    }

    /// The most items shown as text, and the most documents named that would stay as they are; all are counted.
    private static let mostShown = 10
    private static let drainThreshold = 64 << 10

    /// `conclusion` knows by now where the run went.
    init(_ options: OutputOptions, showsAll: Bool, _ conclusion: PreviewConclusion, report file: AtomicFile?) throws {
        self.options = options
        self.showsAll = showsAll
        collection = conclusion.collection
        output = StandardOutput(isWhole: options.format == .json)
        if options.format == .json { object = PreviewObject(conclusion, to: &bytes) }
        guard let file else { return }
        var head: [UInt8] = []
        let whole = PreviewObject(conclusion, to: &head)
        report = Report(file: file, object: whole, bytes: head)
    }

    func print(_ items: [PreviewedOperation]) throws {
        for item in items {
            append(item)
            if var whole = report {
                report = nil
                whole.object.append(item, to: &whole.bytes)
                if whole.bytes.count >= Self.drainThreshold { try whole.file.write(&whole.bytes) }
                report = whole
            }
            name(item)
        }
        if bytes.count >= Self.drainThreshold { try output.drainOrStop(&bytes) }
    }

    /// Prints what follows the items, and puts the report in its place.
    func finish(_ conclusion: inout PreviewConclusion) throws {
        conclusion.unwritableNames = unwritableNames
        if unshown > 0 { PreviewLines.append(more: unshown, to: &bytes) }
        switch options.format {
        case .json: object?.end(conclusion, in: &bytes)
        case .ndjson: PreviewObject.append(withoutItems: conclusion, to: &bytes)
        case .text, .name: break
        }
        try output.drainOrStop(&bytes)
        if unnamed > 0 {
            StandardError.say("… and \(unnamed) more that would stay as they are; --all names them")
        }
        guard var report else { return }
        report.object.end(conclusion, in: &report.bytes)
        try report.file.write(&report.bytes)
        try report.file.finish()
    }

    private func append(_ item: PreviewedOperation) {
        switch options.format {
        case .json: object?.append(item, to: &bytes)
        case .ndjson where !options.isQuiet: PreviewItemObject.append(item, in: collection, to: &bytes)
        case .name where !options.isQuiet && item.hasEffect:
            if !options.nameEnd.append(utf8: item.operation.documentID.utf8, to: &bytes) { unwritableNames += 1 }
        case .text where !options.isQuiet && item.obstacle(in: collection) == nil:
            guard showsAll || shown < Self.mostShown else {
                unshown += 1
                return
            }
            shown += 1
            PreviewLines.append(item, to: &bytes)
        default: break
        }
    }

    /// Names a document that would stay as it is, and why.
    private func name(_ item: PreviewedOperation) {
        guard let obstacle = item.obstacle(in: collection) else { return }
        guard showsAll || named < Self.mostShown else {
            unnamed += 1
            return
        }
        named += 1
        StandardError.say("'\(item.operation.documentID)' \(obstacle)")
    }
}
