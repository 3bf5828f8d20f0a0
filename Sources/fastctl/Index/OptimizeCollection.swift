import ArgumentParsing
import ContentFeeding
import ReportRendering
import Synchronization

struct OptimizeCollection: Command {
    static let configuration = CommandConfiguration(
        "optimize",
        summary: "Merge what waits, erase what was removed, and give space back.",
        examples: [.init("fastctl collections optimize WebCollection", "Merge one")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var protection: ProtectionOptions
    @Argument("NAME", completion: .collections, help: "The collection") var name: String

    func run() async throws -> ExitCode {
        let plan = try target.plan()
        try protection.require(plan, to: "optimize a collection")
        let store = try await plan.open()
        Interruption.leaveAtOnce(
            saying: "interrupted; what is merged is merged, run it again: \(CommandLineWords.ofProcess)"
        )
        try await Optimization(store, plan.collection(name).engineName).run()
        return .success
    }
}

/// Optimizes a collection and says what came of it.
struct Optimization {
    private let store: any CollectionAdministration
    private let name: CollectionName

    init(_ store: any CollectionAdministration, _ name: CollectionName) {
        self.store = store
        self.name = name
    }

    /// In percent, whatever the engine says.
    static func share(_ done: Int, of total: Int) -> Int {
        guard total > 0 else { return 100 }
        return Int(min(100, max(0, Double(done) * 100 / Double(total))))
    }

    func run() async throws {
        let isShown = FileDescriptor.standardError.isTerminal
        let lastShare = Atomic(-1)
        let report = try await store.optimize(name) { done, total in
            let share = Self.share(done, of: total)
            guard isShown, lastShare.exchange(share, ordering: .relaxed) != share else { return }
            StandardError.write("\r\u{1B}[Kmerging: \(share) %")
        }
        if isShown { StandardError.write("\r\u{1B}[K") }
        let sizes = "\(ShortByteCount(report.bytesBefore)), now \(ShortByteCount(report.bytesAfter))"
        StandardError.say("\(name): \(Quantity(report.merged, "document", "documents")) merged; the store was \(sizes)")
    }
}
