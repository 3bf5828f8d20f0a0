import Testing

@testable import ULSLog

struct PlainFileTests {
    private let folder: SourceFolder

    init() throws { folder = try SourceFolder() }

    @Test func aPartOfABufferIsFilledFromAPlace() throws {
        let file = try PlainFile(path: try folder.write("a.log", "0123456789"))
        var buffer = Array("......".utf8)
        #expect(try file.read(into: &buffer, from: 2, at: 3) == 4)
        #expect(buffer == Array("..3456".utf8))
        #expect(try file.read(into: &buffer, at: 8) == 2)
        #expect(buffer == Array("893456".utf8))
        #expect(try file.read(into: &buffer, at: 10) == 0)
        #expect(try file.read(into: &buffer, at: 1 << 40) == 0)
        #expect(try file.read(into: &buffer, from: 6, at: 0) == 0)
    }

    @Test(arguments: [-1, .min, .max] as [Int64])
    func aPlaceThatCannotBeIsAnError(place: Int64) throws {
        let file = try PlainFile(path: try folder.write("a.log"))
        var buffer: [UInt8] = [0]
        #expect(throws: LogSourceError.self) { try file.read(into: &buffer, at: place) }
    }

    @Test(
        arguments: [([], 0), ([0x41], 0), ([0xEF, 0xBB], 0), ([0xEF, 0xBB, 0xBF], 3), ([0xFF, 0xFE, 0, 0], 0)]
            as [([UInt8], Int64)]
    )
    func theTextBeginsBehindTheMark(bytes: [UInt8], start: Int64) throws {
        let file = try PlainFile(path: try folder.write("a.log", bytes))
        #expect(file.textStart == start)
        #expect(file.sizeAtOpening == Int64(bytes.count))
    }

    @Test func aChangeIsNoticed() throws {
        let path = try folder.write("a.log", "0123456789")
        let file = try PlainFile(path: path)
        #expect(try file.change() == nil)
        try folder.make("a.log", "echo more >> a.log")
        #expect(try file.change() == .grew(from: 10, to: 15))
        #expect(try file.size() == 15)
        try folder.make("a.log", ": > a.log")
        #expect(try file.change() == .shrank(from: 10, to: 0))
    }

    @Test func aFileThatWasMovedAwayIsNoticed() throws {
        let file = try PlainFile(path: try folder.write("a.log", "0123456789"))
        try folder.make("a.log", "mv a.log b.log")
        #expect(try file.change() == .removed)
        try folder.write("a.log", "new")
        #expect(try file.change() == .replaced)
        try folder.remove("b.log")
        #expect(try file.change() == .removed)
        var buffer = [UInt8](repeating: 0, count: 20)
        #expect(try file.read(into: &buffer, at: 0) == 10)
    }

    @Test func whatIsNoFileIsAnError() throws {
        #expect(#expect(throws: LogSourceError.self) { try PlainFile(path: "/dev/null") }?.code == .special)
        #expect(#expect(throws: LogSourceError.self) { try PlainFile(path: folder.path) }?.code == .special)
        #expect(#expect(throws: LogSourceError.self) { try PlainFile(path: folder("no")) }?.code == .missing)
    }
}
