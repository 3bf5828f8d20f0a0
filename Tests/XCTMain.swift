import Testing

/// The program of the tests.
///
/// SwiftPM would generate one with a list of XCTest tests, which it finds in an index; make's builds have no index, and
/// all of our tests use Swift Testing.
@main
struct TestProgram {
    static func main() async {
        // SwiftPM starts it once for each library, to run or to list tests.
        guard CommandLine.arguments.contains("swift-testing") else { return print(#"{"tests":[]}"#) }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
