import UnicodeText

/// Turns a text into UTF-8, however its bytes are cut into pieces.
protocol TextTranscoder {
    /// How many places could not be understood so far; U+FFFD stands for each.
    var undecodable: Int { get }

    /// Appends what the next piece says; a character that it cuts is kept for the next one.
    mutating func transcode(_ bytes: Span<UInt8>, into output: inout [UInt8])

    /// Appends what is left of a character that the end has cut.
    mutating func finish(into output: inout [UInt8])
}

extension TextEncoding {
    /// Returns what turns this encoding into UTF-8; `nil` where nothing is to be done.
    func makeTranscoder() -> (any TextTranscoder)? {
        switch method {
        case .asIs: nil
        case .utf16(let isBigEndian): UTF16Transcoder(isBigEndian: isBigEndian, replacement: .character)
        case .library(let name): LibraryTranscoder(name)
        }
    }
}

extension UTF16Transcoder: TextTranscoder {}

extension ByteOrderMark {
    var encoding: TextEncoding {
        switch self {
        case .utf8: .utf8
        case .utf16(let isBigEndian): isBigEndian ? .utf16BigEndian : .utf16LittleEndian
        }
    }
}

/// U+FFFD in UTF-8: what stands for bytes that are no text.
let replacementCharacter: [UInt8] = [0xEF, 0xBF, 0xBD]
