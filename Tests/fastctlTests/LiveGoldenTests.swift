import Foundation
import TestSupport
import Testing
import Threads

/// Runs the binary over the folders in `LiveGolden`, against real engines.
///
/// Their addresses are in `OPENSEARCH`, `ELASTICSEARCH`, `SOLR` and `SECURE` (an OpenSearch with passwords, whose
/// authority is in `AUTHORITY`). `RECORD=1` writes what is printed into the folders instead.
@Suite(
    .enabled(if: LiveEngine.isAvailable && GoldenCase.binary != nil, "FASTCTL_ENGINES does not name the engines"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct LiveGoldenTests {
    @Test(arguments: GoldenCase.cases(in: "LiveGolden"))
    func `A command prints and returns what its folder says`(golden: GoldenCase) async throws {
        let secure = try await LiveEngine.shared(.openSearch, secure: true)
        let addresses = [
            "OPENSEARCH": try await LiveEngine.shared(.openSearch).urls[0],
            "ELASTICSEARCH": try await LiveEngine.shared(.elasticsearch).urls[0],
            "SOLR": try await LiveEngine.shared(.solr).urls[0],
            "SECURE": secure.urls[0],
        ]
        var names: [String: String] = [:]
        for (name, address) in addresses {
            let port = URL(string: address)?.port.map { "\($0)" } ?? ""
            names["127.0.0.1:" + port] = "127.0.0.1:" + name
        }
        names[secure.folder] = "ENGINE"
        let environment = addresses.merging(["AUTHORITY": secure.folder + "/tls/ca.pem"]) { $1 }
        let hidden = names
        let outcome = await onOwnThread { Result { try golden.run(environment: environment, hiding: hidden) } }
        try golden.check(outcome.get())
    }
}
