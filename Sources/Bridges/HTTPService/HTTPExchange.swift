import CHTTPDaemon
import Synchronization

/// A request and its response.
///
/// The event loop drives one side of an exchange, and the handler's task the other; a side that has to wait is
/// suspended until the other side resumes it.
final class HTTPExchange: Sendable {
    fileprivate enum Stage { case head, body, replied }

    fileprivate struct State {
        /// The library's connection; nil once the library has finished with the request.
        var handle: ConnectionHandle?
        var isSuspended = false
        /// Whether the connection is suspended after the library has sent a whole chunk and requested the next one.
        var isBetweenChunks = false
        /// Whether the bytes of a stream are sent in unencrypted chunks.
        var hasPlainChunks = false
        var isAbandoned = false
        var stage = Stage.head
        var upload = Upload()
        var reply: ServedResponse?
        var download = Download()
        var task: Task<Void, Never>?
        /// Whether the task is already running the stream instead of the handler.
        var isStreaming = false
        var record: ExchangeRecord
        /// The header fields of the request.
        var headers = HeaderFields()
    }

    /// The bytes of the request, on their way to the handler.
    fileprivate struct Upload {
        var isExpected = false
        /// Whether the handler has requested the body; until then, the client is not asked to send it.
        var isWanted = false
        /// Whether a body that no handler reads is received and discarded, so that the client reads the response and
        /// can continue.
        var mayBeReadPast = false
        var isComplete = false
        var pending: [UInt8] = []
        var reader: CheckedContinuation<[UInt8]?, any Error>?
        var bytesReadPast = 0
        var isLingering = false
    }

    /// The bytes of a streamed response, on their way to the client.
    fileprivate struct Download {
        enum Ending { case complete, failed }
        var pending: [UInt8] = []
        var offset = 0
        /// The number of bytes in the library's buffer that may have been used since its memory was last released.
        var bufferUsed = Int.max
        var ending: Ending?
        /// Whether the server is draining: a canceled stream counts as complete.
        var isEnding = false
        var writer: CheckedContinuation<Void, any Error>?
    }

    private let connection: ServedConnection
    private let daemon: HTTPDaemon
    private let started = ContinuousClock.now
    private let state: Mutex<State>

    init(handle: ConnectionHandle, connection: ServedConnection, daemon: HTTPDaemon) {
        self.connection = connection
        self.daemon = daemon
        let record = ExchangeRecord(requestID: daemon.nextRequestID(), peerAddress: connection.peerAddress)
        state = Mutex(State(handle: handle, record: record))
        let isRefused = !connection.begin(self)
        // This check comes after the exchange has become visible, so that either the check detects the shutdown, or the
        // shutdown detects the exchange.
        if isRefused || daemon.connections.isClosing { abandon() }
    }

    var isSuspended: Bool { state.withLock { $0.isSuspended } }

    // MARK: The handler's side

    /// Runs the handler.
    ///
    /// Its task starts on the event loop's own thread, and the router moves it to the pool unless the route is quick.
    func start(_ head: RequestHead) {
        let id = state.withLock { state in
            state.record.method = head.method
            state.record.path = head.path
            state.headers = head.headers
            state.hasPlainChunks = head.readsChunks && !daemon.isSecure
            state.upload.isExpected = head.refusal != nil || head.hasBody
            let fits = head.contentLength.map { $0 <= daemon.limits.bodyWindow } ?? true
            state.upload.mayBeReadPast =
                head.refusal == nil && !head.expectsContinue && (fits || !daemon.isSecure)
            return state.record.requestID
        }
        if let refusal = head.refusal {
            return reply(with: daemon.complete(refusal.response(to: id), head.headers))
        }
        let source = UploadSource(exchange: self, declaredLength: head.isChunked ? nil : head.contentLength)
        let request = ServedRequest(
            head.method,
            head.path,
            query: head.query,
            headers: head.headers,
            body: head.hasBody ? RequestBody(source: source) : .empty,
            peerAddress: connection.peerAddress,
            isSecure: daemon.isSecure,
            id: id
        )
        let task = Task.immediate { [self] in
            let answer = await daemon.respond(request)
            reply(with: answer.response, failure: answer.failure)
            guard case .stream(_, let produce) = answer.response.body, request.method != .head else { return }
            // Uses a separate task, because this one would retain the handler's memory until the stream ends, perhaps
            // hours later.
            keep(Task { await runStream(produce) }, isStream: true)
        }
        keep(task, isStream: false)
        // The reply may have arrived before the task was registered.
        if daemon.connections.isDraining { endStream() }
    }

    /// Registers a task to be canceled with the exchange, or cancels it if the exchange has ended; the handler's task
    /// does not replace the stream's task.
    private func keep(_ task: Task<Void, Never>, isStream: Bool) {
        let isOver = state.withLock { state in
            guard isStream || !state.isStreaming else { return false }
            if isStream { state.isStreaming = true }
            if state.handle != nil { state.task = task }
            return state.handle == nil || state.isAbandoned || state.download.isEnding
        }
        // Cancels outside the lock, because the task's cancellation handler may acquire it.
        if isOver { task.cancel() }
    }

    private func reply(with response: ServedResponse, failure: String? = nil) {
        state.withLock { state in
            state.record.failure = failure
            var response = response
            response.headers["X-Request-ID"] = state.record.requestID
            state.reply = response
            state.resume()
        }
        if daemon.connections.isDraining { endStream() }
    }

    /// Runs the producer of a streamed response, once its head is being sent.
    private func runStream(_ produce: @Sendable (ResponseWriter) async throws -> Void) async {
        var failure: (any Error)?
        do {
            try await produce(ResponseWriter(sink: DownloadSink(exchange: self)))
        } catch {
            failure = error
        }
        state.withLock { state in
            if let failure, !state.download.isEnding {
                state.download.ending = .failed
                let isOrdinary = failure is ConnectionClosed || failure is CancellationError
                if !isOrdinary { state.record.failure = "\(failure)" }
            } else {
                state.download.ending = .complete
            }
            state.resume()
        }
    }

    fileprivate func nextChunk() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { state in
                    if !state.upload.pending.isEmpty {
                        continuation.resume(returning: state.upload.pending)
                        state.upload.pending = []
                    } else if state.upload.isComplete {
                        continuation.resume(returning: nil)
                    } else if state.handle == nil || state.isAbandoned || Task.isCancelled {
                        continuation.resume(throwing: ConnectionClosed())
                    } else {
                        state.upload.reader = continuation
                    }
                    state.upload.isWanted = true
                    state.resume()
                }
            }
        } onCancel: {
            let reader = state.withLock { $0.upload.reader.take() }
            reader?.resume(throwing: CancellationError())
        }
    }

    fileprivate func write(_ bytes: [UInt8]) async throws {
        if state.withLock({ sendAtOnce(bytes, &$0) }) { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                state.withLock { state in
                    guard state.handle != nil, !state.isAbandoned, !Task.isCancelled else {
                        return continuation.resume(throwing: ConnectionClosed())
                    }
                    state.download.append(bytes)
                    if state.download.pending.count - state.download.offset < daemon.limits.responseWindow {
                        continuation.resume()
                    } else {
                        state.download.writer = continuation
                    }
                    state.resume()
                }
            }
        } onCancel: {
            let writer = state.withLock { $0.download.writer.take() }
            writer?.resume(throwing: CancellationError())
        }
    }

    /// Sends bytes of an endless stream if the event loop is waiting for them and the socket has room; returns false if
    /// the event loop has to send them.
    ///
    /// A change is sent to thousands of streams, and waking the event loop for each of them would take longer than
    /// sending.
    private func sendAtOnce(_ bytes: [UInt8], _ state: inout State) -> Bool {
        guard state.hasPlainChunks, state.isBetweenChunks, state.record.bytesSent > 0, !bytes.isEmpty,
            state.handle != nil, !state.isAbandoned, !Task.isCancelled, state.download.pending.isEmpty,
            case .stream(isEndless: true, _) = state.reply?.body
        else { return false }
        switch bytes.withUnsafeBytes({ http_socket_send_chunk(connection.socket, $0.baseAddress, $0.count) }) {
        case HTTP_CHUNK_SENT:
            state.record.bytesSent += bytes.count
            return true
        case HTTP_CHUNK_KEPT: return false
        default:
            // The rest of the chunk can't be sent; the client reconnects, as after every interruption.
            state.isAbandoned = true
            state.resume()
            return false
        }
    }

    // MARK: The event loop's side

    /// Takes the bytes that have arrived, and sends the reply if there is one, or suspends the connection.
    func advance(arrived: UnsafeRawBufferPointer, consumed remaining: inout Int) -> MHD_Result {
        state.withLock { state in
            guard !state.isAbandoned, let handle = state.handle else { return .NO }
            if !arrived.isEmpty { return accept(arrived, &remaining, &state) }
            if state.stage == .head, state.readsBody {
                state.stage = .body
                if state.upload.isExpected { connection.receiveBody() }
                return .YES
            }
            if state.stage == .body { completeUpload(&state) }
            if state.upload.isLingering { return .NO }
            if let reply = state.reply { return send(reply, on: handle, &state) }
            return state.suspend() ? .YES : .NO
        }
    }

    private func accept(_ bytes: UnsafeRawBufferPointer, _ remaining: inout Int, _ state: inout State) -> MHD_Result {
        if let reply = state.reply {
            remaining = 0
            state.upload.bytesReadPast += bytes.count
            if state.upload.bytesReadPast > daemon.limits.bodyWindow, !state.upload.isLingering {
                guard answerPastTheLibrary(reply, &state) else { return .NO }
            }
        } else if let reader = state.upload.reader.take() {
            remaining = 0
            reader.resume(returning: Array(bytes))
        } else if state.upload.pending.count < daemon.limits.bodyWindow {
            remaining = 0
            state.upload.pending += bytes
        } else if !state.suspend() {
            return .NO
        }
        let taken = bytes.count - remaining
        connection.received(taken)
        state.record.bytesReceived += taken
        return .YES
    }

    /// Responds to a client that sends too much data, and then waits for it to disconnect: closing the connection
    /// immediately could destroy the response before it is read.
    private func answerPastTheLibrary(_ reply: ServedResponse, _ state: inout State) -> Bool {
        guard !daemon.isSecure, let words = reply.lastWords, connection.linger(after: words) else { return false }
        state.upload.isLingering = true
        state.record.status = reply.status
        return true
    }

    private func completeUpload(_ state: inout State) {
        guard !state.upload.isComplete else { return }
        state.upload.isComplete = true
        connection.bodyReceived()
        state.upload.reader.take()?.resume(returning: nil)
    }

    /// Passes the response to the library.
    private func send(_ response: ServedResponse, on handle: ConnectionHandle, _ state: inout State) -> MHD_Result {
        state.stage = .replied
        guard connection.bodyReceived() else { return .NO }
        state.record.status = response.status
        guard let reply = makeReply(response, &state) else { return .NO }
        defer { http_response_release(reply) }
        for field in response.sentFields where !isLibraryOwned(field) {
            guard http_response_add(reply, field.name, field.value) else {
                state.record.failure = "the HTTP library refuses the header field \(field.name)"
                return .NO
            }
        }
        if daemon.connections.isDraining { _ = http_response_add(reply, "Connection", "close") }
        return http_response_queue(handle.pointer, UInt32(response.status.code), reply)
    }

    private func makeReply(_ response: ServedResponse, _ state: inout State) -> OpaquePointer? {
        switch response.body {
        case .bytes(let bytes):
            state.record.bytesSent = bytes.count
            return bytes.withUnsafeBytes { http_response_create($0.baseAddress, $0.count, true) }
        case .asset(let asset):
            state.record.bytesSent = asset.utf8CodeUnitCount
            return http_response_create(asset.utf8Start, asset.utf8CodeUnitCount, false)
        case .stream:
            let context = Unmanaged.passRetained(self).toOpaque()
            return http_response_create_stream(onBodyNeeded, context, onBodyReleased)
        }
    }

    /// The number of bytes that the library writes after each chunk.
    private static let chunkEnd = 2

    /// Fills a buffer with the next bytes of a streamed response, reports the end, or suspends the connection.
    fileprivate func produce(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            guard !state.isAbandoned else { return contentReaderFailed }
            let rest = state.download.pending[state.download.offset...]
            guard rest.isEmpty else {
                let count = min(rest.count, buffer.count)
                buffer.copyBytes(from: rest.prefix(count))
                state.record.bytesSent += count
                state.download.bufferUsed = max(state.download.bufferUsed, count + Self.chunkEnd)
                state.download.consume(count)
                return count
            }
            switch state.download.ending {
            case .complete: return contentReaderDone
            case .failed: return contentReaderFailed
            case nil:
                // The library fills the memory of a connection with zeros when it opens. A stream may wait for hours,
                // and this buffer, which is empty now, makes up most of that memory.
                if let start = buffer.baseAddress {
                    http_buffer_give_back(start, buffer.count, min(state.download.bufferUsed, buffer.count))
                    state.download.bufferUsed = 0
                }
                guard state.suspend() else { return contentReaderFailed }
                state.isBetweenChunks = true
                return 0
            }
        }
    }

    // MARK: The end

    /// Aborts the exchange: the event loop closes the connection at its next step.
    func abandon() {
        let task = state.withLock { state in
            state.isAbandoned = true
            state.resume()
            return state.task
        }
        task?.cancel()
    }

    /// Aborts the exchange, unless the event loop is processing it and will detect the end itself.
    func abandonIfParked() {
        state.withLock { state in
            guard state.isSuspended else { return }
            state.isAbandoned = true
            state.resume()
        }
    }

    /// Ends an endless stream at its next step; all other responses are allowed to finish.
    func endStream() {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard case .stream(isEndless: true, _) = state.reply?.body else { return nil }
            state.download.isEnding = true
            return state.task
        }
        task?.cancel()
    }

    /// Returns the response for a problem, which is sent bypassing the library, and records its status.
    func answerOutsideTheLibrary(with problem: ServiceProblem) -> ServedResponse {
        let (id, headers) = state.withLock { state in
            state.record.status = problem.status
            return (state.record.requestID, state.headers)
        }
        return daemon.complete(problem.response(to: id), headers)
    }

    /// Ends the exchange, because the library is done with the request, regardless of the outcome.
    func finish(isComplete: Bool) {
        let (task, reader, writer, record) = state.withLock { state in
            state.handle = nil
            state.record.isComplete = isComplete || state.upload.isLingering
            state.record.duration = ContinuousClock.now - started
            defer { state.task = nil }
            return (state.task, state.upload.reader.take(), state.download.writer.take(), state.record)
        }
        reader?.resume(throwing: ConnectionClosed())
        writer?.resume(throwing: ConnectionClosed())
        task?.cancel()
        connection.end()
        daemon.observe(record)
    }
}

extension HTTPExchange.State {
    /// Whether the body can be received next: there is none, the handler has requested it, or it is discarded.
    ///
    /// A reply at this stage makes the library close the connection, so this is reserved for clients that wait for
    /// permission before they send, and for bodies that are too long to be read and discarded.
    fileprivate var readsBody: Bool {
        !upload.isExpected || (reply == nil ? upload.isWanted : upload.mayBeReadPast)
    }

    /// Suspends the connection until `resume` is called; returns false if it has to be closed instead.
    fileprivate mutating func suspend() -> Bool {
        guard let handle, !isAbandoned else { return false }
        isSuspended = true
        handle.suspend()
        return true
    }

    fileprivate mutating func resume() {
        guard isSuspended, let handle else { return }
        (isSuspended, isBetweenChunks) = (false, false)
        handle.resume()
    }
}

extension HTTPExchange.Download {
    /// Adds bytes, without copying those of an event that is sent to many clients.
    fileprivate mutating func append(_ bytes: [UInt8]) {
        if pending.isEmpty { pending = bytes } else { pending += bytes }
    }

    fileprivate mutating func consume(_ count: Int) {
        offset += count
        guard offset == pending.count else { return }
        (pending, offset) = ([], 0)
        writer.take()?.resume()
    }
}

extension ServedResponse {
    /// The header fields, including security fields that the handler did not set: caches must not store the response,
    /// and browsers must not guess its type.
    fileprivate var sentFields: [(name: String, value: String)] {
        let defaults = [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
        return headers.fields + defaults.filter { headers[$0.0] == nil }
    }

    /// The response as sent over the connection, which is closed after it; nil for a stream.
    var lastWords: [UInt8]? {
        guard case .bytes(let bytes) = body else { return nil }
        var head = "HTTP/1.1 \(status.code) \r\nConnection: close\r\nContent-Length: \(bytes.count)\r\n"
        for field in sentFields where !isLibraryOwned(field) && !field.name.equalsIgnoringCase("Connection") {
            head += "\(field.name): \(field.value)\r\n"
        }
        return Array((head + "\r\n").utf8) + bytes
    }
}

/// Returns whether handlers can't set a field of a response: the library frames the body itself, decides whether to
/// keep a connection that need not be closed, and does not accept empty values.
private func isLibraryOwned(_ field: (name: String, value: String)) -> Bool {
    field.value.isEmpty || field.name.equalsIgnoringCase("Content-Length")
        || field.name.equalsIgnoringCase("Transfer-Encoding")
        || field.name.equalsIgnoringCase("Connection") && !field.value.equalsIgnoringCase("close")
}

/// The handler's view of an upload.
private struct UploadSource: BodySource {
    let exchange: HTTPExchange
    let declaredLength: Int?

    func next() async throws -> [UInt8]? { try await exchange.nextChunk() }
}

/// The handler's view of a streamed response.
private struct DownloadSink: ResponseSink {
    let exchange: HTTPExchange

    func write(_ bytes: [UInt8]) async throws { try await exchange.write(bytes) }
}

// MARK: - Callbacks of the library

// The functions that the library calls on its event loops. Objects are passed through the library as retained pointers:
// a connection until it is closed, and an exchange from its first call to its completion.

typealias CallbackSlot = UnsafeMutablePointer<UnsafeMutableRawPointer?>

func onConnection(
    context: UnsafeMutableRawPointer?,
    connection: OpaquePointer?,
    slot: CallbackSlot?,
    event: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let slot else { return }
    let daemon = Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
    if event == .CONNECTION_NOTIFY_STARTED {
        let socket = http_connection_socket(connection)
        let opened = ServedConnection(socket: socket, peerAddress: peerAddress(of: connection))
        slot.pointee = Unmanaged.passRetained(opened).toOpaque()
        daemon.connections.insert(opened)
    } else if let stored = slot.pointee {
        slot.pointee = nil
        daemon.connections.remove(Unmanaged<ServedConnection>.fromOpaque(stored).takeRetainedValue())
    }
}

func onRequest(
    context: UnsafeMutableRawPointer?,
    connection: OpaquePointer?,
    target: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?,
    version: UnsafePointer<CChar>?,
    bytes: UnsafePointer<CChar>?,
    count: UnsafeMutablePointer<Int>?,
    slot: CallbackSlot?
) -> MHD_Result {
    guard let context, let connection, let target, let method, let version, let count, let slot else { return .NO }
    if let stored = slot.pointee {
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(stored).takeUnretainedValue()
        let chunk = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
        return exchange.advance(arrived: chunk, consumed: &count.pointee)
    }
    guard let known = http_connection_context(connection) else { return .NO }
    let daemon = Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
    let exchange = HTTPExchange(
        handle: ConnectionHandle(pointer: connection),
        connection: Unmanaged<ServedConnection>.fromOpaque(known).takeUnretainedValue(),
        daemon: daemon
    )
    slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    exchange.start(RequestHead(connection, method: method, target: target, version: version, limits: daemon.limits))
    return exchange.advance(arrived: .init(start: nil, count: 0), consumed: &count.pointee)
}

func onCompleted(
    context: UnsafeMutableRawPointer?,
    connection: OpaquePointer?,
    slot: CallbackSlot?,
    reason: MHD_RequestTerminationCode
) {
    guard let slot, let stored = slot.pointee else { return }
    slot.pointee = nil
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(stored).takeRetainedValue()
    exchange.finish(isComplete: reason == .REQUEST_TERMINATED_COMPLETED_OK)
}

private func onBodyNeeded(
    context: UnsafeMutableRawPointer?,
    position: UInt64,
    buffer: UnsafeMutablePointer<CChar>?,
    size: Int
) -> Int {
    guard let context, let buffer else { return contentReaderFailed }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
    return exchange.produce(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
}

private func onBodyReleased(context: UnsafeMutableRawPointer?) {
    if let context { Unmanaged<HTTPExchange>.fromOpaque(context).release() }
}

// The library's macros MHD_CONTENT_READER_END_OF_STREAM and _WITH_ERROR, which Swift cannot import.
private let contentReaderDone = -1
private let contentReaderFailed = -2

private func peerAddress(of connection: OpaquePointer) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
        guard let start = text.baseAddress, http_connection_peer(connection, start, UInt32(text.count)) else {
            return "unknown"
        }
        let address = String(cString: start)
        // An IPv4 client of a dual-stack socket.
        return address.hasPrefix("::ffff:") && address.contains(".") ? String(address.dropFirst(7)) : address
    }
}
