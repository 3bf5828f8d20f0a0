import Files
import Glibc
import HTTPService
import JSONText
import Schedules
import Synchronization
import TextKit
import TimeZones
import YAML

/// The requests about logs, for which the command `fastctl` explains a text or diagnoses an uploaded log.
///
/// The command runs as a child process, with limits on its time, memory and report; none of its data is stored.
extension ContentDistributor {
    /// The media types of logs: text, archives, or any type, because the type is determined from the contents.
    static let logTypes = [
        "text/plain", "text/csv", "application/zip", "application/gzip", "application/x-tar",
        "application/octet-stream",
    ]
    /// The maximum number of bytes that `fastctl explain` reads.
    private static let explainedBytes = 1 << 20

    /// Responds with the explanation of a text: codes, an error message, or pasted rows of a log.
    func explain(_ request: ServedRequest) async throws -> ServedResponse {
        try await answer(request, Examination("explain", upTo: min(Self.explainedBytes, settings.limits.logBytes))) {
            _ in
            ["json": ["explain", "-o", "json", "--redact", "--all", "-"]]
        }
    }

    /// Responds with the diagnosis of a log, an archive of logs, or the logs of a farm: as JSON, as a page, or as
    /// events that include the progress.
    func diagnose(_ request: ServedRequest) async throws -> ServedResponse {
        var examination = Examination("diagnose", upTo: settings.limits.logBytes)
        examination.isLive = request.headers["Accept"]?.contains("text/event-stream") ?? false
        let progress = examination.isLive ? "json" : "never"
        return try await answer(request, examination) { farm in
            let words = ["--redact", "--no-suppress", "--progress", progress, "--jobs", "2"]
            let own = (farm?.zoneWords ?? []) + (farm?.facts.map { ["--farm", $0] } ?? [])
            return [
                "json": ["diagnose", "-o", "json"] + words + own, "html": ["diagnose", "-o", "html"] + words + own,
            ]
        }
    }

    /// Responds with the story of a request: all rows with its correlation ID in a log or in the logs of a farm.
    func trace(_ request: ServedRequest) async throws -> ServedResponse {
        let correlation = request.queryValue("correlation") ?? ""
        let digits = correlation.utf8.count { $0.isHexadecimalDigit }
        guard correlation.utf8.allSatisfy({ $0.isHexadecimalDigit || "{}-".utf8.contains($0) }),
            (4...32).contains(digits),
            correlation.utf8.count <= 38, correlation.utf8.first.map({ $0 != UInt8(ascii: "-") }) == true
        else {
            throw ServiceProblem.invalid(
                "correlation",
                "it is not a correlation",
                "send the ID that the error page shows, or at least its first 4 digits"
            )
        }
        return try await answer(request, Examination("trace", upTo: settings.limits.logBytes)) { farm in
            let words = ["--redact", "--no-pager", "--jobs", "2"]
            return ["json": ["logs", "trace", "-o", "json"] + words + (farm?.zoneWords ?? []) + [correlation]]
        }
    }

    /// Responds with the names of the farms whose logs the client may examine.
    func listLogs() async throws -> ServedResponse {
        guard let token = try token else { throw ServiceProblem.noToken }
        return .json { object in
            object.array("logs") { array in
                for (name, farm) in settings.logs.sorted(by: { $0.key < $1.key }) where farm.roles.contains(token.role)
                {
                    array.object { $0.member("name", name) }
                }
            }
        }
    }

    /// A kind of request about logs.
    private struct Examination {
        let action: String
        let limit: Int
        /// Whether the response is a stream of events.
        var isLive = false

        init(_ action: String, upTo limit: Int) { (self.action, self.limit) = (action, limit) }
    }

    /// Returns the farm specified in a request; a farm that the client may not use counts as missing.
    private func farm(of request: ServedRequest, for token: AccessToken) throws(ServiceProblem) -> FarmLogs? {
        guard let name = request.queryValue("logs") else { return nil }
        guard let farm = settings.logs[name], farm.roles.contains(token.role) else {
            throw .invalid("logs", "this client has no logs named '\(name)'", "GET /v1/logs lists them")
        }
        return farm
    }

    private func answer(
        _ request: ServedRequest,
        _ examination: Examination,
        _ forms: (FarmLogs?) -> [String: [String]]
    ) async throws -> ServedResponse {
        guard let token = try token else { throw ServiceProblem.noToken }
        let isText = examination.action == "explain"
        let farm = isText ? nil : try farm(of: request, for: token)
        let (form, forms) = (request.queryValue("as") ?? "json", forms(farm))
        guard let words = forms[form], !examination.isLive || form == "json" else {
            throw ServiceProblem.invalid(
                "as",
                "'\(form)' is not a response format",
                "use \(forms.keys.sorted().joined(separator: " or "))"
            )
        }
        let name = try Self.fileName(in: request)
        let subject = farm == nil ? "" : "logs \(request.queryValue("logs") ?? "")"
        return try await audited(request, examination.action, .ofServer(token), subject) {
            let run = try logRuns.begin(for: token.principal, upTo: settings.limits.diagnoses)
            if farm == nil {
                try await run.receive(request.body.limited(to: examination.limit), as: name)
            } else if try await !request.body.collect(upTo: examination.limit).isEmpty {
                throw ServiceProblem.invalid(
                    "body",
                    "the request names logs, and also contains logs",
                    "send one of them"
                )
            }
            let words = words + (isText ? [] : farm?.paths ?? ["logs/\(name)"])
            guard !examination.isLive else { return run.live(words, settings, request.id) }
            try await run.run(words, settings, input: isText ? name : nil)
            return try run.response(isPage: form == "html")
        }
    }

    /// Returns the name of an uploaded file, which may contain the name of the server that wrote the file.
    private static func fileName(in request: ServedRequest) throws(ServiceProblem) -> String {
        guard let name = request.queryValue("name") else { return "upload" }
        let isPlain = name.utf8.allSatisfy { byte in
            byte.isDigit || byte.isASCIILetter
                || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains(byte)
        }
        guard isPlain, (1...100).contains(name.utf8.count), !name.hasPrefix("."), !name.hasPrefix("-") else {
            throw .invalid(
                "name",
                "it is not the name of a file",
                "use up to 100 letters, digits, dots, hyphens and underscores, such as WFE1-20261120-1000.log"
            )
        }
        return name
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }

    fileprivate var isHexadecimalDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(self)
    }
}

// MARK: - Logs of farms

/// The logs of a farm that clients may examine by name: the only files on the server's disk that they may read.
package struct FarmLogs: Sendable, Hashable {
    /// The files, folders, archives and patterns, in the form that the command accepts.
    var paths: [String]
    /// The time zones of the servers' clocks: `ZONE`, or `SERVER=ZONE`.
    var timeZones: [String]
    /// The output file of Get-FarmFacts.ps1; `nil` for none.
    var facts: String?
    /// The roles of clients that may examine the logs.
    var roles: Set<AccessToken.Role> = [.admin]

    /// The logs in their written form.
    struct File: Decodable {
        var paths: OneOrMany<Located<String>>
        var zones: OneOrMany<Located<String>>?
        var farm: Located<String>?
        var roles: OneOrMany<Located<String>>?
    }

    init(
        _ file: File,
        _ absolute: (String) -> String,
        _ wrong: (Place?, String, String) -> SettingsError
    ) throws(SettingsError) {
        if let path = file.paths.values.first(where: { $0.value.isEmpty || $0.value.utf8.contains(0) }) {
            throw wrong(path.place, "a path is empty, or contains a NUL byte", "name files, folders or archives")
        }
        guard !file.paths.values.isEmpty else {
            throw wrong(nil, "there are logs without a path", "write paths: FOLDER")
        }
        paths = file.paths.values.map { absolute($0.value) }
        facts = file.farm.map { absolute($0.value) }
        for zone in file.zones?.values ?? [] {
            let name = zone.value.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
            guard (try? TimeZoneRules(named: name)) != nil else {
                throw wrong(zone.place, "there is no time zone '\(name)'", "write Europe/Vienna, or WFE1=Europe/Vienna")
            }
        }
        timeZones = file.zones?.values.map(\.value) ?? []
        for word in file.roles?.values ?? [] where AccessToken.Role(rawValue: word.value) == nil {
            throw wrong(word.place, "'\(word.value)' is not a role", "use admin, application or user")
        }
        if let words = file.roles?.values { roles = Set(words.compactMap { AccessToken.Role(rawValue: $0.value) }) }
    }

    /// The time zones as words of the command line.
    fileprivate var zoneWords: [String] { timeZones.flatMap { ["--tz", $0] } }
}

// MARK: - Runs

/// The runs of the command on clients' texts and logs, each in a separate folder.
final class LogRuns: Sendable {
    private let folder: String
    private let clients = Mutex<Set<String>>([])

    /// Creates a value without runs, and removes files left behind by a server that was killed.
    init(state: String) {
        // The path is absolute, because the command runs in another folder.
        let absolute = realpath(state, nil)
        defer { free(absolute) }
        folder = (absolute.map { String(cString: $0) } ?? state) + "/uploads"
        UploadedLogRun.remove(folder)
    }

    /// Begins a run for a client, which may have only one run at a time; throws if there are already `limit` runs.
    func begin(for client: String, upTo limit: Int) throws -> UploadedLogRun {
        let refusal: String? = clients.withLock { clients in
            guard !clients.contains(client) else { return "another log from this client is being examined" }
            guard clients.count < limit else { return "\(limit) logs are already being examined" }
            clients.insert(client)
            return nil
        }
        if let refusal { throw ServiceProblem.tooMany(refusal, limit: "diagnoses") }
        var system = SystemRandomNumberGenerator()
        let name = UInt64.random(in: 0...(.max), using: &system).padded(to: 16, radix: 16)
        // From now on, the run ends with the last reference to it.
        let run = UploadedLogRun(of: self, for: client, in: "\(folder)/\(name)")
        mkdir(folder, 0o700)
        guard mkdir(run.folder, 0o700) == 0, mkdir("\(run.folder)/logs", 0o700) == 0 else {
            throw UploadedLogRun.noSpace(errno)
        }
        return run
    }

    fileprivate func end(for client: String) { _ = clients.withLock { $0.remove(client) } }
}

/// A run of the command.
///
/// Its folder is removed at the end of the response, or when the last reference to the run is released.
final class UploadedLogRun: Sendable {
    let folder: String
    private let runs: LogRuns
    private let client: String
    private let hasEnded = Mutex(false)

    /// The maximum size of a report, in bytes.
    private static let reportBytes = 64 << 20
    /// The exit codes of a command with a report: without findings, or with findings or unknown text.
    private static let successCodes: Set<Int32> = [0, 1]

    init(of runs: LogRuns, for client: String, in folder: String) {
        (self.runs, self.client, self.folder) = (runs, client, folder)
    }

    deinit { end() }

    /// Removes the folder, and allows the client to begin another run.
    ///
    /// This happens before the end of the response, because the client may begin another run right after that, and its
    /// connection may keep the response alive for longer.
    private func end() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        guard isFirst else { return }
        Self.remove(folder)
        runs.end(for: client)
    }

    /// Removes a folder with all of its contents, without following links.
    static func remove(_ folder: String) {
        // The path is a file or a link.
        guard unlink(folder) != 0, errno == EISDIR || errno == EPERM else { return }
        for name in (try? Folder.names(folder, maximum: 100_000)) ?? [] { remove("\(folder)/\(name)") }
        rmdir(folder)
    }

    fileprivate static func noSpace(_ code: CInt) -> ServiceProblem {
        ServiceProblem(
            .serviceUnavailable,
            "notStored",
            "the server can't store the log while it is examined: \(String(cString: strerror(code)))",
            advice: "send it again later",
            headers: ["Retry-After": "30"]
        )
    }

    /// Writes a body to a file as it arrives.
    fileprivate func receive(_ body: RequestBody, as name: String) async throws {
        let descriptor = open("\(folder)/logs/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.noSpace(errno) }
        defer { close(descriptor) }
        var isEmpty = true
        for try await bytes in body {
            var done = 0
            while done < bytes.count {
                let count = bytes[done...].withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.noSpace(errno) }
                done += count
            }
            isEmpty = isEmpty && bytes.isEmpty
        }
        guard !isEmpty else { throw ServiceProblem.invalid("body", "it is empty", "send text or a log") }
    }

    /// Runs the command; throws if there is no report.
    fileprivate func run(
        _ words: [String],
        _ settings: DistributorSettings,
        input: String?,
        note: (@Sendable (ArraySlice<UInt8>) -> Void)? = nil
    ) async throws {
        let limits = settings.limits
        guard
            let file = settings.fastctl
                ?? ScheduledProgram.find("fastctl", in: folder, besides: ScheduledProgram.ownFolder)
        else {
            throw ServiceProblem(
                .serviceUnavailable,
                "noCommand",
                "the server can't find the command fastctl",
                advice: "install it beside the server's program, or in the PATH of its service"
            )
        }
        var program = ScheduledProgram(
            [file] + words,
            // The command does not inherit the server's environment, which may contain the engine's address and
            // secrets.
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8", "TZ": "UTC"],
            folder: folder,
            timeout: .seconds(limits.diagnosisSeconds)
        )
        program.patience = .seconds(1)
        (program.memory, program.fileBytes) = (limits.diagnosisMemory, Self.reportBytes)
        (program.input, program.output) = (input.map { "\(folder)/logs/\($0)" }, "\(folder)/report")
        program.note = note
        let result = await program.run()
        let lines = result.output.split(separator: "\n").filter { !$0.utf8.starts(with: ProgressLines.start) }
        let output = lines.isEmpty ? "" : ": " + lines.joined(separator: "; ")
        switch result.ending {
        case .exit(let code) where Self.successCodes.contains(code) && hasReport: return
        case .exit(let code): throw Self.failed("failed with exit code \(code)\(output)")
        case .signal(let number): throw Self.failed("was terminated by signal \(number)\(output)")
        case .timeout:
            throw ServiceProblem(
                .unprocessable,
                "tooLong",
                "the command took more than \(limits.diagnosisSeconds) seconds",
                advice: "send a shorter part of the log; the limit is 'diagnosis-seconds'"
            )
        case .cancelled: throw CancellationError()
        case .unstarted(let reason): throw ServiceProblem.unavailable("the command fastctl can't be started: \(reason)")
        }
    }

    /// Returns a stream of events: the progress of the command as it reads, and then its report or the problem.
    ///
    /// The command is stopped when the client disconnects.
    fileprivate func live(_ words: [String], _ settings: DistributorSettings, _ request: String) -> ServedResponse {
        ServedResponse.stream(contentType: "text/event-stream") { [self] writer in
            // Only the newest progress matters, so a slow client misses earlier reports.
            let (lines, source) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
            let progress = ProgressLines { source.yield($0) }
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        defer { source.finish() }
                        try await self.run(words, settings, input: nil) { progress.take($0) }
                    }
                    for await line in lines {
                        try await writer.write(ServerSentEvent(name: "progress", data: line).bytes)
                    }
                    try await group.waitForAll()
                }
            } catch let problem as ServiceProblem {
                let body = try await problem.response(to: request).collectBody(upTo: 1 << 20)
                let text = String(decoding: body, as: UTF8.self)
                end()
                return try await writer.write(ServerSentEvent(name: "problem", data: text).bytes)
            }
            let report = try openReport()
            try await writer.write(Array("event: report\ndata: ".utf8))
            while case let bytes = try report.next(), !bytes.isEmpty {
                // In JSON, line breaks occur only between tokens.
                try await writer.write(bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
            }
            try await writer.write(Array("\n\n".utf8))
        }
    }

    /// Whether the command has written a report, which is not certain even if it ends with an exit code of success.
    private var hasReport: Bool {
        var status = stat()
        return stat("\(folder)/report", &status) == 0 && status.st_size > 0
    }

    private static func failed(_ reason: String) -> ServiceProblem {
        ServiceProblem(
            .unprocessable,
            "noReport",
            "the command fastctl \(reason)",
            advice: "send a log that 'fastctl diagnose' can read, or a shorter part of it; "
                + "the limit is 'diagnosis-memory'"
        )
    }

    /// Returns the report as a stream, after which the folder is removed.
    fileprivate func response(isPage: Bool) throws -> ServedResponse {
        let report = try openReport()
        let type = isPage ? "text/html; charset=utf-8" : "application/json"
        var response = ServedResponse.stream(contentType: type) { writer in
            while case let bytes = try report.next(), !bytes.isEmpty { try await writer.write(bytes) }
        }
        response.headers["X-Content-Type-Options"] = "nosniff"
        // The page contains text from clients, and is served from the origin of the API.
        if isPage {
            response.headers["Content-Security-Policy"] =
                "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        }
        return response
    }

    private func openReport() throws -> OpenReport {
        let descriptor = open("\(folder)/report", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.noSpace(errno) }
        return OpenReport(descriptor: descriptor, run: self)
    }

    /// The open file of a report, which keeps its run alive until it has been read or the client disconnects.
    private final class OpenReport: Sendable {
        private let descriptor: CInt
        private let run: UploadedLogRun

        init(descriptor: CInt, run: UploadedLogRun) { (self.descriptor, self.run) = (descriptor, run) }

        deinit { close(descriptor) }

        func next() throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(descriptor, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw UploadedLogRun.noSpace(errno) }
                if count == 0 { run.end() }
                return Array(bytes[..<count])
            }
        }
    }
}

/// The lines on the standard error of a command that report its progress.
private final class ProgressLines: Sendable {
    /// The beginning of a progress line.
    static let start = Array("{\"schema\":\"fastctl.progress/1\"".utf8)
    private static let longestLine = 64 << 10

    private let rest = Mutex<[UInt8]>([])
    private let found: @Sendable (String) -> Void

    init(found: @escaping @Sendable (String) -> Void) { self.found = found }

    func take(_ bytes: ArraySlice<UInt8>) {
        let lines = rest.withLock { rest in
            rest += bytes
            var lines = rest.split(separator: 0x0A, omittingEmptySubsequences: false)
            rest = Array((lines.popLast() ?? []).suffix(Self.longestLine))
            return lines.map { Array($0) }
        }
        for line in lines where line.starts(with: Self.start) { found(String(decoding: line, as: UTF8.self)) }
    }
}
