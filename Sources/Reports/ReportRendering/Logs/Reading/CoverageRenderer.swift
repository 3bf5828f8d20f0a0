import JSONText
public import ULSLog

/// The answer when nothing was found: which times the logs of each server cover.
public struct CoverageRenderer {
    private let coverage: [ServerCoverage]
    private let wanted: String?
    private let since: LogTime?
    private let until: LogTime?

    /// Takes what the logs cover and what was asked for.
    ///
    /// - Parameters:
    ///   - coverage: The times of each server's logs.
    ///   - wanted: What was looked for, as `the correlation 9446a0f0…`, to end a sentence; `nil` for just any event.
    ///   - since: The first moment of the window, where there is one; compared with the logs by ``LogTime/instant``.
    ///   - until: The last moment of the window.
    public init(
        _ coverage: [ServerCoverage],
        wanted: String? = nil,
        since: LogTime? = nil,
        until: LogTime? = nil
    ) {
        self.coverage = coverage
        self.wanted = wanted
        self.since = since
        self.until = until
    }

    /// Appends sentences, or `fastctl.coverage/1`.
    public func append(
        as format: LogOutputFormat = .text,
        layout: TextLayout = TextLayout(),
        to bytes: inout [UInt8]
    ) {
        switch format {
        case .json, .ndjson: appendObject(to: &bytes)
        case .markdown: page.appendMarkdown(to: &bytes)
        case .text, .csv, .uls: page.append(to: &bytes, layout)
        }
    }

    private var page: Page {
        var page = Page()
        if let wanted {
            page.sentence("No event has \(outside: wanted).")
        } else {
            page.sentence("No event was found.")
        }
        if coverage.isEmpty { page.sentence("No log was read.") }
        for server in coverage { page.sentence(CoveragePhrase(server, since: since, until: until).phrase) }
        return page
    }

    private func appendObject(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.coverage/1") { object in
            object.member("wanted", log: wanted)
            object.member("since", since)
            object.member("until", until)
            object.array("servers") { array in
                for server in coverage {
                    array.object { object in
                        object.member("server", log: server.server)
                        object.member("firstTime", server.firstTime)
                        object.member("lastTime", server.lastTime)
                        object.member("files", server.files)
                    }
                }
            }
        }
        bytes.append(0x0A)
    }
}
