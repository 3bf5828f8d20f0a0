/// What the service puts before a row that it had not meant to write, and wrote because others went missing.
///
/// `[Forced due to logging gap, cached @ 02/12/2021 11:17:30.82, Original Level: Verbose] Entering …`: the level in the
/// row's column is not the level that the writer had chosen. Seen in SharePoint 2016 and later.
struct ForcedRowMark: Equatable {
    /// Where the level that the writer had chosen stands; nil if the mark does not say it.
    var originalLevel: Range<Int>?
    /// Where the message itself begins.
    var end: Int

    /// A mark that is longer than this is none.
    private static let longest = 160

    /// The mark at `start`, if there is one.
    static func parse(_ message: Span<UInt8>, from start: Int = 0) -> ForcedRowMark? {
        guard message.reads("[forced due to", at: start) else { return nil }
        var originalLevel: Int?
        for offset in start..<min(message.count, start + longest) {
            switch message[offset] {
            case UInt8(ascii: "O") where message.reads("original level:", at: offset):
                originalLevel = message.skippingBlanks(from: offset + 15)
            case UInt8(ascii: "]"):
                return ForcedRowMark(
                    originalLevel: originalLevel.flatMap { $0 < offset ? $0..<offset : nil },
                    end: message.skippingBlanks(from: offset + 1)
                )
            default: break
            }
        }
        return nil
    }
}
