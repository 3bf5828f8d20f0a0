import Testing

/// The program of the tests.
///
/// SwiftPM would write one with a list of XCTest's tests, which it finds in an index; make's
/// builds have none, and all of our tests are Swift Testing's.
@main
struct TestProgram {
    static func main() async {
        // SwiftPM starts it once for each library, to run or to list tests.
        guard CommandLine.arguments.contains("swift-testing") else { return print(#"{"tests":[]}"#) }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
