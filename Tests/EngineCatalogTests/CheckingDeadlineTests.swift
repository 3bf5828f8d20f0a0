import ContentFeeding
import Testing

@testable import EngineCatalog

struct CheckingDeadlineTests {
    private let address: TargetAddress

    init() throws { address = try TargetAddress("opensearch+http://h") }

    @Test func `What takes too long is unreachable, and the address is named`() async {
        let error = await #expect(throws: EngineError.self) {
            try await CheckingDeadline.within(.milliseconds(20), of: address) {
                try await Task.sleep(for: .seconds(60))
            }
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("opensearch+http://h:9200") == true)
    }

    @Test func `What comes in time is passed on, and so is an error`() async throws {
        #expect(try await CheckingDeadline.within(.seconds(60), of: address) { 7 } == 7)
        let error = await #expect(throws: EngineError.self) {
            try await CheckingDeadline.within(.seconds(60), of: address) { throw EngineError(.permission, "no") }
        }
        #expect(error?.code == .permission)
    }
}
