import Testing

@testable import FailureExplanation

/// Every advice entry can be reached, and none hides another.
struct FrameAdviceTests {
    private let tables = FrameTables.builtIn

    @Test func `There are at least 50 entries, and all except one have an example`() {
        #expect(tables.entries.count >= 50)
        // The crawling component is visible only in a row's process, which the next test provides.
        #expect(tables.entries.filter { $0.example == nil }.map(\.id) == ["crawled-server-error"])
    }

    @Test func `The example of each entry selects that entry first`() {
        for entry in tables.entries {
            guard let example = entry.example else { continue }
            let frame = Explanation(of: example).frame
            #expect(
                frame.advice.first?.id == entry.id,
                "\(entry.id): \(frame.advice.map(\.id)), \(frame.slots.map { "\($0.name) \($0.kind ?? $0.text)" })"
            )
        }
        let crawled = Explanation(of: "Internal server error of a host", process: "mssdmn.exe (0x1)").frame
        #expect(crawled.advice.first?.id == "crawled-server-error")
    }

    @Test func `No entry is completely hidden by an earlier or more specific one`() {
        func isWithin(_ inner: [String], _ outer: [String]) -> Bool {
            outer.isEmpty || !inner.isEmpty && inner.allSatisfy(outer.contains)
        }
        for (place, entry) in tables.entries.enumerated() {
            for (otherPlace, other) in tables.entries.enumerated() where otherPlace != place {
                let comesFirst = other.weight > entry.weight || other.weight == entry.weight && otherPlace < place
                let isHidden =
                    comesFirst && isWithin(entry.failures, other.failures) && isWithin(entry.objects, other.objects)
                    && isWithin(entry.components, other.components) && isWithin(entry.actors, other.actors)
                #expect(!isHidden, "\(other.id) hides \(entry.id)")
            }
        }
    }
}
