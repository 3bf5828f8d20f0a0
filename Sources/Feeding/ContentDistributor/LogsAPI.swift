import Files
import Glibc
import HTTPService
import Schedules
import Synchronization
import TextKit

/// The requests about logs: the command `fastctl` explains a text, or diagnoses an uploaded log.
///
/// It runs as a child of the server, with limits on its time, its memory and its report; nothing of it is kept.
extension ContentDistributor {
    /// The media types of logs: text, archives, or anything, because the type is determined from the contents.
    static let logTypes = [
        "text/plain", "text/csv", "application/zip", "application/gzip", "application/x-tar",
        "application/octet-stream",
    ]
    /// The maximum number of bytes that `fastctl explain` reads.
    private static let explainedBytes = 1 << 20

    /// Answers with the explanation of a text: codes, an error message, or pasted rows of a log.
    func explain(_ request: ServedRequest) async throws -> ServedResponse {
        try await answer(
            request,
            "explain",
            upTo: min(Self.explainedBytes, settings.limits.logBytes),
            forms: ["json": ["explain", "-o", "json", "--redact", "--all", "-"]],
            fromInput: true
        )
    }

    /// Answers with the diagnosis of a log or an archive of logs, as JSON or as an HTML page.
    func diagnose(_ request: ServedRequest) async throws -> ServedResponse {
        let words = ["--redact", "--no-suppress", "--progress", "never", "--jobs", "2"]
        return try await answer(
            request,
            "diagnose",
            upTo: settings.limits.logBytes,
            forms: [
                "json": ["diagnose", "-o", "json"] + words, "html": ["diagnose", "-o", "html"] + words,
            ],
            fromInput: false
        )
    }

    private func answer(
        _ request: ServedRequest,
        _ action: String,
        upTo limit: Int,
        forms: [String: [String]],
        fromInput: Bool
    ) async throws -> ServedResponse {
        guard let token = try token else { throw ServiceProblem.noToken }
        let form = request.queryValue("as") ?? "json"
        guard let words = forms[form] else {
            throw ServiceProblem.invalid(
                "as",
                "'\(form)' is not a form of the answer",
                "use \(forms.keys.sorted().joined(separator: " or "))"
            )
        }
        let name = try Self.fileName(in: request)
        return try await audited(request, action, .ofServer(token), "") {
            let run = try logRuns.begin(for: token.principal, upTo: settings.limits.diagnoses)
            try await run.receive(request.body.limited(to: limit), as: name)
            try await run.run(words + (fromInput ? [] : ["logs/\(name)"]), settings, input: fromInput ? name : nil)
            return try run.response(isPage: form == "html")
        }
    }

    /// Returns the name of an uploaded file, which may name the server that wrote it.
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
}

// MARK: - Runs

/// The runs of the command on clients' texts and logs, each in a separate folder.
final class LogRuns: Sendable {
    private let folder: String
    private let clients = Mutex<Set<String>>([])

    /// Creates a value without runs, and removes the remains of a server that was killed.
    init(state: String) {
        // The path is absolute, because the command runs in another folder.
        let absolute = realpath(state, nil)
        defer { free(absolute) }
        folder = (absolute.map { String(cString: $0) } ?? state) + "/uploads"
        UploadedLogRun.remove(folder)
    }

    /// Begins a run for a client, which may have only one at a time; throws if there are already `limit` runs.
    func begin(for client: String, upTo limit: Int) throws -> UploadedLogRun {
        let refusal: String? = clients.withLock { clients in
            guard !clients.contains(client) else { return "this client already has a log examined" }
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

/// A run of the command: its folder is removed when nothing refers to it any more, however its request ends.
final class UploadedLogRun: Sendable {
    let folder: String
    private let runs: LogRuns
    private let client: String

    /// The maximum bytes of a report.
    private static let reportBytes = 64 << 20
    /// The exit codes of a report: without findings, with findings, and for unknown text.
    private static let successCodes: Set<Int32> = [0, 1]

    init(of runs: LogRuns, for client: String, in folder: String) {
        (self.runs, self.client, self.folder) = (runs, client, folder)
    }

    deinit {
        Self.remove(folder)
        runs.end(for: client)
    }

    /// Removes a folder with everything in it; links are not followed.
    static func remove(_ folder: String) {
        // A file, or a link.
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
        guard !isEmpty else { throw ServiceProblem.invalid("body", "it is empty", "send a text or a log") }
    }

    /// Runs the command; throws if there is no report.
    fileprivate func run(_ words: [String], _ settings: DistributorSettings, input: String?) async throws {
        let limits = settings.limits
        guard
            let file = settings.fastctl
                ?? ScheduledProgram.find("fastctl", in: folder, besides: ScheduledProgram.ownFolder)
        else {
            throw ServiceProblem(
                .serviceUnavailable,
                "noCommand",
                "the server does not find the command fastctl",
                advice: "install it beside the server's program, or in the PATH of its service"
            )
        }
        var program = ScheduledProgram(
            [file] + words,
            // The command gets nothing from the server's own environment, such as the address of its engine and its
            // secrets.
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8", "TZ": "UTC"],
            folder: folder,
            timeout: .seconds(limits.diagnosisSeconds)
        )
        program.patience = .seconds(1)
        (program.memory, program.fileBytes) = (limits.diagnosisMemory, Self.reportBytes)
        (program.input, program.output) = (input.map { "\(folder)/logs/\($0)" }, "\(folder)/report")
        let result = await program.run()
        let output = result.output.isEmpty ? "" : ": " + result.output.split(separator: "\n").joined(separator: "; ")
        switch result.ending {
        case .exit(let code) where Self.successCodes.contains(code) && hasReport: return
        case .exit(let code): throw Self.failed("failed with the exit code \(code)\(output)")
        case .signal(let number): throw Self.failed("was ended by the signal \(number)\(output)")
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

    /// Whether the command has written anything: even a program that ends with a code of success may have written
    /// nothing.
    private var hasReport: Bool {
        var status = stat()
        return stat("\(folder)/report", &status) == 0 && status.st_size > 0
    }

    private static func failed(_ reason: String) -> ServiceProblem {
        ServiceProblem(
            .unprocessable,
            "noReport",
            "the command fastctl \(reason)",
            advice: "send a log that 'fastctl diagnose' reads, or a shorter part of it; the limit is 'diagnosis-memory'"
        )
    }

    /// Returns the report as a stream, after which the folder is removed.
    fileprivate func response(isPage: Bool) throws -> ServedResponse {
        let descriptor = open("\(folder)/report", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.noSpace(errno) }
        let report = OpenReport(descriptor: descriptor, run: self)
        let type = isPage ? "text/html; charset=utf-8" : "application/json"
        var response = ServedResponse.stream(contentType: type) { writer in
            while case let bytes = try report.next(), !bytes.isEmpty { try await writer.write(bytes) }
        }
        response.headers["X-Content-Type-Options"] = "nosniff"
        // The page shows text from clients, and is served from the origin of the API.
        if isPage {
            response.headers["Content-Security-Policy"] =
                "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        }
        return response
    }

    /// The file of a report, which keeps its run until it is read or the client is gone.
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
                return Array(bytes[..<count])
            }
        }
    }
}
