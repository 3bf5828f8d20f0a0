import ContentFeeding
import FeedFormats
import Foundation
import TestSupport

/// An input from a seed: arguments and files, good records and broken ones, in one format.
struct RandomInput: CustomStringConvertible {
    enum Shape: CaseIterable {
        case lines, trimmed, nul, jsonIDs, jsonDocuments, csv, excelCSV, csvDocuments, tsv, solrRemovals, solrDocuments
        case bulk, elasticdump, jsonValues, jsonArray, solrCommands

        var kind: ContentOperation.Kind {
            switch self {
            case .jsonDocuments, .solrDocuments, .bulk, .elasticdump, .jsonValues, .jsonArray, .solrCommands: .add
            case .csvDocuments: .update
            default: .remove
            }
        }

        var format: InputFormat {
            switch self {
            case .lines: .lines()
            case .trimmed: .lines(trimming: true)
            case .nul: .nul
            case .jsonIDs, .jsonDocuments: .jsonLines()
            case .csv, .excelCSV, .csvDocuments: .csv(column: .named("id"))
            case .tsv: .tsv(column: .number(1))
            case .solrRemovals, .solrDocuments: .solrXML()
            case .bulk: .bulk(index: .named("p"))
            case .elasticdump: .elasticdump()
            case .jsonValues, .jsonArray: .json()
            case .solrCommands: .solrJSON()
            }
        }

        fileprivate var start: String {
            switch self {
            case .csv, .csvDocuments: "\r\nid,\"t\nt\"\r\n"
            case .excelCSV: "sep=;\r\nid;\"t,\nt\"\r\n"
            case .solrRemovals: "<?xml version='1.0'?>\n<!-- x -->\n<update><delete>"
            case .solrDocuments: "<add>\n"
            case .jsonArray: "[{\"id\":\"first\"}\n"
            case .solrCommands: "{\"commit\":{}"
            default: ""
            }
        }

        fileprivate var end: String {
            switch self {
            case .solrRemovals: "\n</delete></update>\n"
            case .solrDocuments: "</add>\n "
            case .jsonArray: "\n] "
            case .solrCommands: "}\n"
            default: ""
            }
        }

        fileprivate func record(_ id: String) -> String {
            switch self {
            case .lines, .trimmed, .nul: id
            case .jsonIDs: "{\"remove\":\"\(id)\"}"
            case .jsonDocuments: "{\"id\":\"\(id)\",\"t\":[1,\"\(id)\"]}"
            case .csv, .csvDocuments: "\"\(id)\n,\"\"\",x"
            case .excelCSV: "\"\(id)\n;\"\"\";x,y"
            case .tsv: "\(id)\t\"a\n\r\n\""
            case .bulk: "{\"index\":{\"_id\":\"\(id)\",\"_index\":\"p\"}}\n{\"t\":[1,\"\(id)\"]}"
            case .elasticdump: "{\"_index\":\"p\",\"_id\":\"\(id)\",\"_source\":{\"t\":[1,\"\(id)\"]}}"
            case .jsonValues: "{\"id\":\"\(id)\",\n\"t\":[1,\"\(id)]}\"]}"
            case .jsonArray: ",\n{\"id\":\"\(id)\",\n\"t\":[1,\"\(id)]}\"]}"
            case .solrCommands: ",\n\"add\":{\"doc\":{\"id\":\"\(id)\"}},\"delete\":[\"x\",\"\(id)\"]"
            case .solrRemovals: "<id>\(id)\n</id><!-- \(id) -->"
            case .solrDocuments: "<doc>\n<field name='id'>\(id)</field><field name=\"t\"/></doc>\n"
            }
        }

        fileprivate var brokenRecords: [String] {
            switch self {
            case .lines, .trimmed: ["", "a\0b", " "]
            case .nul: ["", "\n"]
            case .jsonIDs, .jsonDocuments: ["", " ", "{", "3", "{\"a\":1}"]
            case .csv, .csvDocuments: ["", "a", "a,b,c", "a\"b,c", "\"\",\n"]
            case .excelCSV: ["", "a", "a;b;c", "sep=,", "a\"b;c", "\"\";\n"]
            case .tsv: ["", "a", "\t", "\"a\tb\"x\t"]
            case .bulk:
                ["", "{\"index\":{\"_id\":1}}\n", "{\"delete\":{}}", "x", "{\"update\":{\"_id\":1}}\n{\"script\":1}"]
            case .elasticdump: ["", "{\"_id\":1}", "{\"_index\":\"q\",\"_id\":1,\"_source\":{}}", "{"]
            case .jsonValues: ["", "3", "{\"a\":1}", "[5]", "{\"id\":01}"]
            case .jsonArray: ["", ",3", ",{\"a\":1}", ",[5]", ",{\"id\":01}"]
            case .solrCommands: ["", ",\"delete\":{\"query\":\"x\"}", ",\"x\":[1]", ",\"add\":{\"doc\":{}}"]
            case .solrRemovals: [" text ", "<query>*:*</query>", "<id a='1'>x</id>", "<id>&x;</id>", "</id>"]
            case .solrDocuments: ["<doc/>", "<doc boost='1'>\n</doc>", "<id>1</id>", "]]>", "</doc>"]
            }
        }

        fileprivate var separators: [String] {
            switch self {
            case .nul: ["\0"]
            case .solrRemovals, .solrDocuments, .jsonArray, .solrCommands: ["", "\n", " \r\n"]
            default: ["\n", "\r\n"]
            }
        }
    }

    enum Encoding: CaseIterable {
        case utf8, markedUTF8, littleEndian, bigEndian

        func encode(_ text: String) -> [UInt8] {
            switch self {
            case .utf8: Array(text.utf8)
            case .markedUTF8: [0xEF, 0xBB, 0xBF] + text.utf8
            case .littleEndian: [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            case .bigEndian: [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            }
        }
    }

    let description: String
    let shape: Shape
    let limits: InputLimits
    let sources: [InputSource]
    /// The raw bytes of each source.
    let raw: [[UInt8]]
    /// The sources that are files.
    let files: [(source: Int, path: String, bytes: [UInt8])]

    init(_ shape: Shape, _ encoding: Encoding, seed: Int, in folder: TemporaryFolder) throws {
        var generator = Seeded(UInt64(seed))
        description = "\(shape), \(encoding), seed \(seed)"
        self.shape = shape
        var limits = InputLimits()
        limits.chunkCount = Int.random(in: 1...6, using: &generator)
        limits.readBytes = [16, 17, 64, 200, 4096].randomElement(using: &generator) ?? 64
        self.limits = limits
        var sources: [InputSource] = []
        var raw: [[UInt8]] = []
        var files: [(source: Int, path: String, bytes: [UInt8])] = []
        for index in 0..<Int.random(in: 1...3, using: &generator) {
            if index != 1, Int.random(in: 0..<3, using: &generator) == 0 {
                let words = shape.kind == .remove ? ["a\nb", "", "é"] : ["{\"id\":\"é\"}", ""]
                sources.append(.arguments(words))
                raw.append(words.flatMap { Array($0.utf8) + [0] })
                continue
            }
            var bytes = encoding.encode(Self.text(shape, using: &generator))
            // Half a code unit at the end of UTF-16, or an invalid byte at the end of UTF-8.
            if Int.random(in: 0..<4, using: &generator) == 0 { bytes.append(0xD8) }
            let path = folder.path("\(index)")
            try Data(bytes).write(to: URL(filePath: path))
            sources.append(.file(path))
            raw.append(bytes)
            files.append((index, path, bytes))
        }
        (self.sources, self.raw, self.files) = (sources, raw, files)
    }

    private static func text(_ shape: Shape, using generator: inout Seeded) -> String {
        var text = shape.start
        for number in 0..<Int.random(in: 0...25, using: &generator) {
            let word = ["x", "é", "😀", "a long one, longer than one read"].randomElement(using: &generator) ?? ""
            text +=
                Int.random(in: 0..<5, using: &generator) == 0
                ? shape.brokenRecords.randomElement(using: &generator) ?? ""
                : shape.record(word + "\(number)")
            text += shape.separators.randomElement(using: &generator) ?? ""
        }
        // The last record may have no line end.
        if shape.end.isEmpty, Bool.random(using: &generator) { return text + "last" }
        return text + shape.end
    }

    @discardableResult
    func chunks(_ memory: InputMemory = InputMemory(), remembered: Int? = nil) async throws -> [OperationChunk] {
        var limits = limits
        if let remembered { limits.remembered = remembered }
        return try await FeedFormatsTests.chunks(
            of: FeedInput.open(sources, for: shape.kind, format: shape.format, limits: limits, memory: memory)
        )
    }

    /// Returns a byte of a file before a position: the index of the file, and the byte's position in it.
    func byte(before end: InputOffset, using generator: inout Seeded) -> (file: Int, place: Int)? {
        let candidates = files.enumerated().compactMap { index, file -> (Int, Int)? in
            guard file.source <= end.source else { return nil }
            let count = file.source < end.source ? file.bytes.count : Int(end.byte)
            return count > 0 ? (index, count) : nil
        }
        return candidates.randomElement(using: &generator).map { file, count in
            (file, Int.random(in: 0..<count, using: &generator))
        }
    }

    func write(_ bytes: [UInt8], to file: Int) throws {
        try Data(bytes).write(to: URL(filePath: files[file].path))
    }
}
