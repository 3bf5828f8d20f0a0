import UnicodeText

/// Turns the bytes of one text into UTF-8 as they are read: by its byte-order mark, else as the user says.
struct TextDecoding {
    /// How much is read at once of a text that must be transcoded, in bytes.
    private static let pieceBytes = 64 << 10

    /// How a text without a mark is written.
    private let encoding: TextEncoding?
    private var transcoder: (any TextTranscoder)?
    private var hasBegun = false
    private var hasEnded = false
    private var raw: [UInt8] = []
    /// UTF-8 that has not been handed on.
    private var decoded: ArraySlice<UInt8> = []

    /// Places that could not be understood; U+FFFD stands for each.
    var undecodable: Int { transcoder?.undecodable ?? 0 }

    init(_ encoding: TextEncoding?) { self.encoding = encoding }

    /// Reads the next UTF-8 into `buffer`, behind `start`; 0 at the end of the text, or where there is no room.
    mutating func read(
        into buffer: inout [UInt8],
        from start: Int,
        _ supply: any TextSupply
    ) throws(LogSourceError) -> Int {
        guard start < buffer.count else { return 0 }
        if !hasBegun { try begin(supply) }
        while decoded.isEmpty {
            guard !hasEnded else { return 0 }
            guard transcoder != nil else { return try supply.read(into: &buffer, from: start) }
            let count = try supply.read(into: &raw, from: 0)
            transcode(0..<count)
        }
        let count = min(decoded.count, buffer.count - start)
        buffer.replaceSubrange(start..<start + count, with: decoded.prefix(count))
        decoded = decoded.dropFirst(count)
        return count
    }

    /// Reads as much as decides whether the text begins with a mark.
    private mutating func begin(_ supply: any TextSupply) throws(LogSourceError) {
        raw = [UInt8](repeating: 0, count: Self.pieceBytes)
        var count = 0
        while ByteOrderMark.mayBegin(raw.span.extracting(first: count)) {
            let more = try supply.read(into: &raw, from: count)
            if more == 0 { break }
            count += more
        }
        hasBegun = true
        let mark = ByteOrderMark(startOf: raw.span.extracting(first: count))
        transcoder = (mark?.encoding ?? encoding)?.makeTranscoder()
        let text = (mark?.length ?? 0)..<count
        if transcoder == nil {
            decoded = raw[text]
            raw = []
        } else if !text.isEmpty {
            transcode(text)
        }
    }

    /// Transcodes a part of what was read; an empty one means that the text has ended.
    private mutating func transcode(_ range: Range<Int>) {
        hasEnded = range.isEmpty
        var output: [UInt8] = []
        if hasEnded {
            transcoder?.finish(into: &output)
        } else {
            let raw = raw
            transcoder?.transcode(raw.span.extracting(range), into: &output)
        }
        decoded = output[...]
    }
}
