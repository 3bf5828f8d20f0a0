import DocumentSources
import Testing

struct SourceErrorTests {
    @Test func `An error states what happened, and what to do next, if anything`() {
        let error = SourceError(.missing, "there is no table 'Events'", advice: "see 'fastctl source show'")
        #expect("\(error)" == "there is no table 'Events'; see 'fastctl source show'")
        #expect("\(SourceError(.missing, "there is no table 'Events'"))" == "there is no table 'Events'")
    }
}
