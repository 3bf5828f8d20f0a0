import CCurl
import TextKit
import Threads

/// Hands messages to a mail server (RFC 5321).
///
/// A message is accepted for all of its recipients or for none: it is sent only after the server has accepted each
/// recipient.
package struct MailServer: Sendable, Hashable {
    /// The encryption of the connection.
    package enum Security: Sendable, Hashable {
        /// TLS from the first byte.
        case immediate
        /// TLS through STARTTLS; nothing is sent if the server does not offer it.
        case upgraded
        /// No encryption, for a server on this machine.
        case none
    }

    package var host: String
    package var port: Int
    package var security: Security
    /// A PEM file of authorities to trust instead of the system's.
    package var authorityFile: String?
    /// The user and the password; `nil` if the server needs none.
    package var credentials: MailCredentials?
    package var timeLimit = Duration.seconds(30)

    /// Creates a server; an IPv6 address must be in brackets.
    package init(host: String, port: Int, security: Security) {
        (self.host, self.port, self.security) = (host, port, security)
    }

    /// The reason a message was not accepted.
    package struct Failure: Error, Sendable, Hashable {
        /// Libcurl's description, without the message and the password.
        package let message: String
        /// The server's last reply, such as 550; `nil` if there was none.
        package let code: Int?

        /// Whether the server has permanently refused the message.
        package var isFinal: Bool { code.map { (500...599).contains($0) } ?? false }
    }

    /// Sends a message, and returns when the server has accepted it.
    ///
    /// An address that contains a line break, a space or an angle bracket is refused before anything is sent.
    package func send(_ message: [UInt8], from sender: String, to recipients: [String]) async throws(Failure) {
        guard !recipients.isEmpty, ([sender] + recipients).allSatisfy(Self.isAddress) else {
            throw Failure(message: "the message contains an invalid address", code: nil)
        }
        try await onOwnThread { [self] in
            MailTransfer(message)?.run(self, from: sender, to: recipients)
                ?? .failure(Failure(message: "libcurl is out of memory", code: nil))
        }.get()
    }

    /// Returns whether text is `name@host` as libcurl sends it: without any character that could start another command.
    package static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>()[]\\,;:\"".utf8.contains($0) }
    }
}

/// A user and a password, hidden in every printed form.
package struct MailCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let user: String
    let password: String

    package init(user: String, password: String) { (self.user, self.password) = (user, password) }

    package var description: String { "(credentials)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A message in transit: libcurl's handle, and the data that libcurl may read.
private final class MailTransfer {
    private var easy: EasyHandle
    private let message: [UInt8]
    private var offset = 0
    private var recipientList: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init?(_ message: [UInt8]) {
        guard MultiLoop.isInitialised, let easy = EasyHandle() else {
            errorText.deallocate()
            return nil
        }
        self.easy = easy
        self.message = message
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        ccurl_set_pointer(easy.pointer, CURLOPT_ERRORBUFFER, nil)
        ccurl_slist_free_all(recipientList)
        errorText.deallocate()
    }

    func run(_ server: MailServer, from sender: String, to recipients: [String]) -> Result<Void, MailServer.Failure> {
        apply(server)
        easy.set(CURLOPT_MAIL_FROM, "<\(sender)>")
        for recipient in recipients { recipientList = ccurl_slist_append(recipientList, "<\(recipient)>") }
        easy.set(CURLOPT_MAIL_RCPT, list: recipientList)
        easy.set(CURLOPT_UPLOAD, true)
        easy.set(CURLOPT_INFILESIZE_LARGE, bytes: message.count)
        easy.set(CURLOPT_READDATA, Unmanaged.passUnretained(self).toOpaque())
        easy.set(CURLOPT_READFUNCTION) { target, size, count, context in
            guard let context else { return 0 }
            let transfer = Unmanaged<MailTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.read(into: UnsafeMutableRawBufferPointer(start: target, count: size * count))
        }
        // Replaces libcurl's default function, which would print the server's replies.
        easy.set(CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count }
        guard easy.accepted else {
            return .failure(.init(message: "libcurl refuses an option of the mail server", code: nil))
        }
        let result = ccurl_easy_perform(easy.pointer)
        guard result != CURLE_OK else { return .success(()) }
        let special = String(cString: errorText)
        let code = easy.info(CURLINFO_RESPONSE_CODE)
        // A positive last reply is not the reason for the failure.
        return .failure(
            .init(
                message: special.isEmpty ? String(cString: ccurl_easy_strerror(result)) : special,
                code: code >= 400 ? code : nil
            )
        )
    }

    private func apply(_ server: MailServer) {
        easy.setErrorBuffer(errorText)
        easy.set(CURLOPT_NOSIGNAL, true)
        easy.set(CURLOPT_QUICK_EXIT, true)
        easy.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        easy.set(CURLOPT_PROXY, "")
        let scheme = server.security == .immediate ? "smtps" : "smtp"
        easy.set(CURLOPT_URL, "\(scheme)://\(server.host):\(server.port)")
        switch server.security {
        case .immediate, .upgraded: easy.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        case .none: easy.set(CURLOPT_USE_SSL, Int(CURLUSESSL_NONE.rawValue))
        }
        easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        easy.set(CURLOPT_CAINFO, optional: server.authorityFile)
        if server.authorityFile != nil { ccurl_set_string(easy.pointer, CURLOPT_CAPATH, nil) }
        if let credentials = server.credentials {
            easy.set(CURLOPT_USERNAME, credentials.user)
            easy.set(CURLOPT_PASSWORD, credentials.password)
        }
        easy.set(milliseconds: CURLOPT_TIMEOUT_MS, server.timeLimit)
        easy.set(milliseconds: CURLOPT_CONNECTTIMEOUT_MS, min(server.timeLimit, .seconds(10)))
    }

    private func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, message.count - offset)
        message.withUnsafeBytes { bytes in
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        }
        offset += count
        return count
    }
}
