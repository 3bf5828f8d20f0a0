import ArgumentParsing
import Testing

struct ArgumentValueTests {
    @Test(arguments: [
        ("30s", Duration.seconds(30)), ("5m", .seconds(300)), ("1h30m", .seconds(5400)), ("250ms", .milliseconds(250)),
        ("2d", .seconds(172_800)), ("1m500ms", .milliseconds(60500)), ("0", .zero),
    ])
    func aDurationHasUnits(word: String, duration: Duration) throws {
        #expect(try Duration(argument: word) == duration)
        #expect(duration.argumentText == word)
    }

    @Test(arguments: [
        "", "30", "s", "-5s", "5m1h", "5s5s", "5 s", "1.5s", "5x", "99999999999999999999s", "9000000000000000d",
    ])
    func anythingElseIsNoDuration(word: String) {
        let error = #expect(throws: ArgumentExpectation.self) { try Duration(argument: word) }
        #expect(error?.text == "a duration such as 30s, 5m, 1h30m or 250ms")
    }

    @Test(arguments: [
        ("4096", 4096), ("10MiB", 10_485_760), ("1GB", 1_000_000_000), ("1gb", 1_000_000_000), ("64KiB", 65536),
        ("7B", 7),
        ("0", 0),
    ])
    func aSizeMayHaveAUnit(word: String, bytes: Int) throws {
        #expect(try ByteCount(argument: word).bytes == bytes)
    }

    @Test(arguments: ["", "MiB", "10M", "-1", "1.5GB", "10 MiB", "9999999999TiB", "1XB"])
    func anythingElseIsNoSize(word: String) {
        let error = #expect(throws: ArgumentExpectation.self) { try ByteCount(argument: word) }
        #expect(error?.text == "a size such as 4096, 10MiB or 1GB")
    }

    @Test(arguments: [
        (0, "0"), (1, "1"), (1000, "1KB"), (1024, "1KiB"), (10_485_760, "10MiB"), (1_000_000_000, "1GB"),
        (4097, "4097"),
    ])
    func aSizeIsShownInItsLargestUnit(bytes: Int, text: String) throws {
        #expect(ByteCount(bytes: bytes).argumentText == text)
        #expect(try ByteCount(argument: text).bytes == bytes)
    }

    @Test(arguments: ["", "x", "1.0", "0x10", "99999999999999999999"])
    func whatIsNoWholeNumberIsRefused(word: String) {
        #expect(throws: ArgumentExpectation.self) { try Int(argument: word) }
    }

    @Test(arguments: ["", "x", "nan", "inf", "1,5"])
    func whatIsNoNumberIsRefused(word: String) {
        #expect(throws: ArgumentExpectation.self) { try Double(argument: word) }
    }
}
