import ContentFeeding
import TestSupport
import Testing

@Suite(
    .enabled(
        if: LiveEngine.hasRelatives,
        "neither FASTCTL_ENGINES nor the addresses of OpenSearch and Elasticsearch are set"
    ),
    .timeLimit(.minutes(5)),
    .serialized
)
struct OpenSearchContractTests {
    @Test(arguments: [LiveEngine.Product.openSearch, .elasticsearch])
    func keepsTheLawsOfEngines(product: LiveEngine.Product) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        try await EngineContract(administration, settings: .foldedWords).check()
    }
}
