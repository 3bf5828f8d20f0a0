import ContentFeeding
import EngineCatalog

/// Lists the collections of any engine.
///
/// Usage: `ListCollections sqlite:PATH | opensearch+https://… | elasticsearch+https://… | solr+http://…`
@main
struct ListCollections {
    static func main() async throws {
        let engine = try await EngineCatalog.open(try TargetAddress(CommandLine.arguments[1]))
        for collection in try await engine.list() {
            let size = collection.documents.map { "\($0) documents" }
            print("\(collection.name): \(size ?? collection.flaw ?? "not known")")
        }
    }
}
