/// Where the columns of a row before its message stand in the row's text.
struct RowHead: Equatable {
    var time: Range<Int>
    var isContinuation: Bool
    var process: Range<Int>
    var thread: Range<Int>
    var area: Range<Int>
    var category: Range<Int>
    var eventID: Range<Int>
    var level: Range<Int>
    var messageStart: Int
    /// Whether wide blanks set the last columns apart, so that one blank does not.
    var hasWideColumns: Bool
    /// Whether nothing but an event id and a level say that it is a row: neither time nor process nor an area that is
    /// known.
    var isGuessed: Bool

    /// A record with these columns.
    func record(_ text: [UInt8], line: Int) -> PastedRecord {
        var record = PastedRecord(shape: .row, line: line)
        record.time = Array(text[time])
        record.isContinuation = isContinuation
        record.process = Array(text[process])
        record.thread = Array(text[thread])
        record.area = Array(text[area])
        record.category = Array(text[category])
        record.eventID = Array(text[eventID])
        record.level = Array(text[level])
        return record
    }
}

/// What a text says about being a row.
enum RowReading: Equatable {
    case row(RowHead)
    /// It begins like a row and ends before the level: the next line may have the rest.
    case unfinished
    case none
}
