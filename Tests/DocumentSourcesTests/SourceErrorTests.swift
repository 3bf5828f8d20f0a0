import DocumentSources
import Testing

struct SourceErrorTests {
    @Test func `An error states its cause, and advice if there is any`() {
        let error = SourceError(.missing, "there is no table 'Events'", advice: "see 'fastctl source show'")
        #expect("\(error)" == "there is no table 'Events'; see 'fastctl source show'")
        #expect("\(SourceError(.missing, "there is no table 'Events'"))" == "there is no table 'Events'")
    }
}
