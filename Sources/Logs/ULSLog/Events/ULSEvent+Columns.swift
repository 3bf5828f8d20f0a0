extension ULSEvent {
    /// An event that says this; columns that are not given are empty.
    package init(time: LogTime, place: Place, server: String? = nil, columns: [Column: String]) {
        self.init(time: time, place: place)
        self.server = server
        for column in Column.allCases { appendColumn(column, (columns[column] ?? "").utf8.span) }
    }
}
