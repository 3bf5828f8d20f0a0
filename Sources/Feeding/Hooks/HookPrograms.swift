package import JSONText
import Synchronization
import TextKit
import Threads

/// The settings of one of the operator's programs.
package struct HookProgramSettings: Sendable, Hashable {
    /// The program, looked up in `PATH`, and its arguments.
    package var command: [String]
    /// The working folder of the program.
    package var folder: String
    /// The number of processes that are kept running; each handles one call after another.
    package var processes = 2
    /// The maximum time that a process may take to answer.
    package var timeout = Duration.seconds(5)
    /// The maximum address space of a process in bytes; `nil` for no limit.
    package var memory: Int?
    /// The maximum number of bytes in an answer.
    package var answerBytes = 16 << 20
    /// The maximum number of calls that wait for a process.
    package var waitingCalls = 1_000

    package init(_ command: [String], in folder: String) { (self.command, self.folder) = (command, folder) }
}

/// The programs of the operator, each with processes that are kept running.
///
/// A process reads one object from each line of its standard input, and writes one object as a line to its standard
/// output:
///
/// ```text
/// {"id":1,"on":"insert","collection":"WebCollection","user":{"name":"app"},"request":{"method":"PUT"},"document":{}}
/// {"id":1,"document":{}}
/// {"id":2,"respond":{"status":422,"message":"there is no such author"}}
/// ```
///
/// A process that ends, takes too long or answers in any other form is killed, with all processes that it started, and
/// is replaced.
package final class HookPrograms: Sendable {
    /// Usage statistics of a program since it was first started.
    package struct Use: Sendable, Hashable {
        package var calls = 0
        package var failures = 0
    }

    private let pools: [String: HookPool]

    /// Starts programs; programs that are already running with the same name and settings keep running.
    ///
    /// A program's output on standard error, and the reasons for its failures, are passed to `log`.
    package init(
        _ settings: [String: HookProgramSettings],
        after before: HookPrograms? = nil,
        log: @escaping @Sendable (String) -> Void
    ) {
        var pools: [String: HookPool] = [:]
        for (name, settings) in settings {
            let kept = before?.pools[name].flatMap { $0.settings == settings ? $0 : nil }
            pools[name] = kept ?? HookPool(name, settings, log: log)
        }
        self.pools = pools
    }

    /// Usage statistics of each program, by name.
    package var uses: [String: Use] { pools.mapValues(\.use) }

    /// The name of each program that is running, with its settings.
    package var settings: [String: HookProgramSettings] { pools.mapValues(\.settings) }

    /// Returns the document that a program returns for the given document.
    func call(_ name: String, _ verb: HookVerb, _ json: [UInt8], _ facts: HookFacts) async throws -> [UInt8] {
        var writer = HookCall.writer
        writer.object { object in
            object.member("on", verb.rawValue)
            object.member("collection", facts.collection)
            object.add(facts)
            object.member("document", raw: json.onOneLine)
        }
        switch try await answer(of: name, to: writer.takeBytes(), expecting: .document) {
        case .document(let json): return json
        case .refusal(let refusal): throw refusal
        case .response: throw HookFailure(program: name, reason: "answered with a response")
        }
    }

    /// Returns a program's answer to a request to an endpoint.
    ///
    /// The members of the request besides those in `facts` are written by `members`.
    package func respond(
        _ name: String,
        _ endpoint: String,
        _ facts: HookFacts,
        _ members: (inout JSONWriter) -> Void
    ) async throws -> HookResponse {
        var writer = HookCall.writer
        writer.object { object in
            object.member("on", "request")
            object.member("endpoint", endpoint)
            object.add(facts, members)
        }
        switch try await answer(of: name, to: writer.takeBytes(), expecting: .response) {
        case .response(let response): return response
        case .refusal(let refusal): throw refusal
        case .document: throw HookFailure(program: name, reason: "answered with a document")
        }
    }

    private func answer(
        of name: String,
        to message: [UInt8],
        expecting kind: HookAnswer.Kind
    ) async throws -> HookAnswer {
        guard let pool = pools[name] else { throw HookFailure(program: name, reason: "does not exist") }
        return try await pool.call(message, expecting: kind).get()
    }
}

/// A program's answer to a request.
package struct HookResponse: Sendable {
    /// The body as it is sent to the client.
    package enum Body: Sendable, Hashable {
        case json([UInt8])
        case text(String)
    }

    package let status: Int
    package private(set) var headers: [(name: String, value: String)] = []
    package private(set) var body: Body?
}

// MARK: - Messages

extension JSONWriter {
    /// Writes the user and the request as members.
    fileprivate mutating func add(_ facts: HookFacts, _ members: (inout JSONWriter) -> Void = { _ in }) {
        key("user")
        if let user = facts.user { object { $0.add(user) } } else { null() }
        object("request") { request in
            request.add(facts.request)
            members(&request)
        }
    }

    private mutating func add(_ values: [String: HookFacts.Value]) {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            key(name)
            value.write(to: &self)
        }
    }

    /// Writes a member without the line breaks that it may contain.
    package mutating func member(_ key: String, line json: [UInt8]) { member(key, raw: json.onOneLine) }
}

extension [UInt8] {
    /// JSON without line breaks, which can be removed because they never occur within a JSON string.
    fileprivate var onOneLine: [UInt8] {
        let isBreak = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
        return contains(where: isBreak) ? map { isBreak($0) ? UInt8(ascii: " ") : $0 } : self
    }
}

/// A valid answer from a program.
enum HookAnswer: Sendable {
    case document([UInt8])
    case refusal(HookRefusal)
    case response(HookResponse)

    enum Kind: Sendable {
        case document
        case response
    }

    /// The reason why a line is not a valid answer.
    struct Defect: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// Reads a line as the answer to the call with this number.
    init(_ line: [UInt8], to number: Int, expecting kind: Kind) throws(Defect) {
        do throws(JSONError) {
            let members = try JSONMembers(of: line.span)
            guard try members.value("id", in: line) == .number("\(number)") else {
                throw JSONError(offset: 0, message: "the 'id' is not \(number), the ID of the call")
            }
            if let respond = try members.value("respond", in: line) {
                guard let message = respond["message"].text, case let status = respond["status"].int ?? 422,
                    (400..<600).contains(status)
                else { throw JSONError(offset: 0, message: "'respond' needs a message, and a status from 400 to 599") }
                self = .refusal(HookRefusal(status: status, message, field: respond["field"].text))
                return
            }
            switch kind {
            case .document:
                guard let document = members["document"], document.kind == .object else {
                    throw JSONError(offset: 0, message: "there is neither a 'document' nor 'respond'")
                }
                self = .document(Array(line[document.value]))
            case .response: self = .response(try HookResponse(line, members))
            }
        } catch {
            throw Defect("\(error.message): \(line.excerpt)")
        }
    }
}

extension JSONMembers {
    fileprivate func value(_ key: String, in line: [UInt8]) throws(JSONError) -> JSONValue? {
        guard let member = self[key] else { return nil }
        return try JSONValue(Array(line[member.value]))
    }
}

extension HookResponse {
    /// The header fields that a program may set; all others are set by the server.
    private static let headers: Set<String> = [
        "cache-control", "content-disposition", "content-language", "content-type", "etag", "expires", "last-modified",
        "link", "location", "retry-after", "vary",
    ]

    fileprivate init(_ line: [UInt8], _ members: JSONMembers) throws(JSONError) {
        guard let status = try members.value("status", in: line)?.int, (200..<600).contains(status) else {
            throw JSONError(offset: 0, message: "there is no 'status' from 200 to 599")
        }
        self.status = status
        for member in try members.value("headers", in: line)?.members ?? [] {
            let name = member.key.lowercased()
            guard Self.headers.contains(name), let text = member.value.text,
                text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else {
                let field = Array(member.key.utf8).excerpt
                throw JSONError(offset: 0, message: "a program can't set the header field '\(field)' to this value")
            }
            headers.append((name, text))
        }
        guard let body = members["body"], body.kind != .null else { return }
        guard status != 204, status != 304 else {
            throw JSONError(offset: 0, message: "a response with the status \(status) has no body")
        }
        if body.kind == .string, let text = try members.value("body", in: line)?.text {
            self.body = .text(text)
        } else {
            self.body = .json(Array(line[body.value]))
        }
    }
}

extension [UInt8] {
    /// The beginning of untrusted text, shortened and made printable.
    var excerpt: String {
        var text = ""
        for scalar in String(decoding: prefix(200), as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case " "..."~": text.unicodeScalars.append(scalar)
            default: text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return count > 200 ? text + "…" : text
    }
}
