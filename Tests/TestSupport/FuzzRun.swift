import Foundation

/// A fuzzer's cases: a few in every run of the tests, or as many as fit into `FASTCTL_FUZZ_SECONDS`.
///
/// `FASTCTL_SEED` repeats a run. The seed is printed before the first case, so that it is known if the process dies;
/// the last line, which `Scripts/soak` reads, contains the number of cases.
public enum FuzzRun {
    /// The time for each fuzzer; `nil` for a few cases.
    public static let seconds = ProcessInfo.processInfo.environment["FASTCTL_FUZZ_SECONDS"].flatMap(Double.init)
    /// The seed of the first case.
    public static let seed =
        ProcessInfo.processInfo.environment["FASTCTL_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64.max)

    /// Runs cases until the time is up or one of them returns a problem; returns the problem with its seed.
    public static func problem(_ name: String, few: Int, _ check: (UInt64) throws -> String?) rethrows -> String? {
        start(name)
        let end = Date(timeIntervalSinceNow: seconds ?? 0)
        var count = 0
        while seconds == nil ? count < few : Date() < end {
            let seed = seed &+ UInt64(count)
            if count % 100_000 == 99_999 { print("fuzz: \(name) is at seed \(seed)") }
            count += 1
            if let problem = try check(seed) {
                finish(name, count)
                return "FASTCTL_SEED=\(seed): \(problem)"
            }
        }
        finish(name, count)
        return nil
    }

    /// Prints the seed at the beginning of a run.
    public static func start(_ name: String) { print("fuzz: \(name) begins, FASTCTL_SEED=\(seed)") }

    /// Prints the number of cases in a run.
    public static func finish(_ name: String, _ count: Int) {
        print("fuzz: \(name): \(count) cases, FASTCTL_SEED=\(seed) repeats")
    }
}
