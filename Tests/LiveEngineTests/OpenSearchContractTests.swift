import ContentFeeding
import TestSupport
import Testing

@Suite(
    .enabled(if: LiveEngine.isAvailable, "FASTCTL_ENGINES does not name the folder of engines"),
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
