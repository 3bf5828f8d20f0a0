import Foundation
import Testing

/// Runs the binary over the folders in `Golden`: a command, what it prints, how it ends.
///
/// `RECORD=1` writes what is printed into the folders instead.
struct GoldenTests {
    @Test(.enabled(if: GoldenCase.binary != nil), arguments: GoldenCase.all)
    func `A command prints and returns what its folder says`(golden: GoldenCase) throws {
        if let reason = golden.reasonToSkip {
            print("skipped \(golden): \(reason)")
            return
        }
        try golden.check(golden.run())
    }

    @Test func `There is a case for every exit code that this version has`() {
        let codes = Set(GoldenCase.all.compactMap { Int($0.expected("exit").trimmingCharacters(in: .newlines)) })
        #expect(codes.isSuperset(of: [0, 1, 3, 64, 65, 66, 69, 73, 74, 75, 77, 78, 130, 143]))
        #expect(GoldenCase.all.count >= 40)
    }
}
