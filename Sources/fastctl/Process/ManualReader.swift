import Glibc

/// Shows a manual page on a terminal, formatted by what the system has for that.
enum ManualReader {
    /// A program that formats the source on its standard input.
    private struct Formatter {
        let words: [String]
        let settings: [String: String]

        /// Those that there may be; the first that works is taken.
        static func all(width: Int) -> [Formatter] {
            let columns = "\(width)"
            return [
                // Bold words are kept for the pager.
                Formatter(
                    words: ["man", "-P", "cat", "-l", "-"],
                    settings: ["MANWIDTH": columns, "MAN_KEEP_FORMATTING": "1"]
                ),
                Formatter(words: ["mandoc", "-T", "locale", "-O", "width=\(columns)"], settings: [:]),
            ]
        }
    }

    /// Shows the page; returns `false` if no program can format it.
    static func show(_ source: String, through pager: PagerCommand?) throws -> Bool {
        for formatter in Formatter.all(width: ProcessEnvironment.width - 2) {
            guard var page = format(source, by: formatter) else { continue }
            try StandardOutput.print(&page, through: pager)
            return true
        }
        return false
    }

    /// Returns the formatted page; `nil` if the program is not there or fails.
    private static func format(_ source: String, by formatter: Formatter) -> [UInt8]? {
        guard let input = tmpfile(), let output = tmpfile() else { return nil }
        defer {
            fclose(input)
            fclose(output)
        }
        var bytes = Array(source.utf8)
        guard FileDescriptor(number: fileno(input)).write(&bytes) == nil, lseek(fileno(input), 0, SEEK_SET) == 0,
            let nothing = fopen("/dev/null", "we")
        else { return nil }
        defer { fclose(nothing) }
        let process = ChildProcess.start(
            formatter.words,
            input: fileno(input),
            output: fileno(output),
            errors: fileno(nothing),
            settings: formatter.settings
        )
        guard let process, ChildProcess.waitForEnd(of: process) == 0 else { return nil }
        var size = stat()
        guard fstat(fileno(output), &size) == 0, size.st_size > 0, size.st_size <= maximumSize else { return nil }
        var page = [UInt8](repeating: 0, count: Int(size.st_size))
        let count = pread(fileno(output), &page, page.count, 0)
        return count == page.count ? page : nil
    }

    /// No page is this long, in bytes.
    private static let maximumSize = 16 << 20
}
