import ULSLog

/// Which times the logs of one server cover, and whether that is outside of the window.
struct CoveragePhrase {
    let phrase: Phrase

    init(_ coverage: ServerCoverage, since: LogTime?, until: LogTime?) {
        let server: Phrase = coverage.server.map { "\(outside: $0)" } ?? "Logs of an unknown server"
        let files = GroupedNumber.of(coverage.files, "file", "files")
        guard let first = coverage.firstTime, let last = coverage.lastTime,
            let from = first.iso8601, let latest = last.iso8601
        else {
            phrase = "\(server): no times are known (\(files))"
            return
        }
        // A day is named again only where it is another.
        let isOneDay = first.isoDate == last.isoDate
        var text: Phrase = "\(server): \(from) to \(isOneDay ? Self.clock(last) : latest) (\(files))"
        if let until, let late = first.milliseconds(since: until), late > 0 {
            text = text + "; it begins at \(first.minute ?? "-"), after the window"
        } else if let since, let early = since.milliseconds(since: last), early > 0 {
            text = text + "; it ends at \(last.minute ?? "-"), before the window"
        }
        phrase = text
    }

    private static func clock(_ time: LogTime) -> String {
        var bytes: [UInt8] = []
        time.appendTimeOfDay(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
