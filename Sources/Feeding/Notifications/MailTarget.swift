import Digests
package import HTTPClient
import TextKit

/// A mail server, and the sender and recipient addresses of the notifications sent through it.
package struct MailTarget: Sendable {
    package var server: MailServer
    package var sender: String
    package var recipients: [String]
    package var subject: NotificationTemplate

    package init(
        _ server: MailServer,
        from sender: String,
        to recipients: [String],
        subject: NotificationTemplate = .subject
    ) {
        (self.server, self.sender, self.recipients, self.subject) = (server, sender, recipients, subject)
    }

    func deliver(_ delivery: Delivery, for target: NotificationTarget) async -> DeliveryResult {
        let message = MailMessage(
            from: sender,
            to: recipients,
            subject: subject.text(of: delivery.event, for: target.name, on: .line),
            text: target.template.text(of: delivery.event, for: target.name, on: .text) + Self.facts(delivery.event),
            at: delivery.event.at,
            // The ID is the same in all attempts, so a mail client shows only one of two copies.
            id: "\(delivery.id).\(delivery.event.at.components.seconds)"
        )
        do throws(MailServer.Failure) {
            try await server.send(message.bytes, from: sender, to: recipients)
            return .delivered
        } catch {
            let words = "\(server.host): \(error.message)"
            return error.isFinal ? .refused(words) : .failed(words)
        }
    }

    /// The lines after the text.
    private static func facts(_ event: ServerEvent) -> String {
        var facts = [("event", event.kind.rawValue), ("at", UTCTimestamp(since1970: event.at).description)]
        if let collection = event.collection { facts.append(("collection", collection)) }
        facts.append(("subject", event.subject))
        facts += event.details.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let line = NotificationTemplate.Channel.line
        return "\n\n" + facts.map { "\(line.safe($0.0)): \(line.safe($0.1))\n" }.joined()
    }
}

/// A message of UTF-8 text (RFC 5322, 2045, 2047), whose contents can't add or change headers.
package struct MailMessage: Sendable {
    /// The message as sent to the server, with CRLF at the ends of lines.
    package let bytes: [UInt8]

    /// Creates a message; the addresses must satisfy ``MailServer/isAddress(_:)``.
    package init(
        from sender: String,
        to recipients: [String],
        subject: String,
        text: String,
        at time: Duration,
        id: String
    ) {
        precondition(([sender] + recipients).allSatisfy(MailServer.isAddress), "addresses are checked by their owners")
        let domain = sender.split(separator: "@").last ?? "localhost"
        let head = [
            "Date: \(HTTPDate.mail(time))", "From: \(sender)", "To: \(recipients.joined(separator: ",\r\n "))",
            "Message-ID: <\(id)@\(domain)>", "Subject: \(Self.encodedWords(subject))", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64",
            // Vacation responders don't reply to messages with this header.
            "Auto-Submitted: auto-generated",
        ]
        // Base64 avoids overlong lines, lines with a single dot, and bytes that a server could change.
        let body = Array(Base64.text(Array(text.utf8)))
        let lines = stride(from: 0, to: body.count, by: 76).map { String(body[$0..<min($0 + 76, body.count)]) }
        bytes = Array((head + [""] + lines).map { $0 + "\r\n" }.joined().utf8)
    }

    /// Returns a header's text, which is unchanged if it is short, printable ASCII, and otherwise converted to encoded
    /// words (RFC 2047).
    static func encodedWords(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.firstRange(of: "=?") == nil
        if isPlain, text.utf8.count <= 60, text.first != " ", text.last != " " { return text }
        var words: [String] = []
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            // 39 bytes become 52 digits, and a line has at most 76 characters; scalars are not split.
            var piece: [UInt8] = []
            while let scalar = rest.first, piece.count + UTF8.width(scalar) <= 39 {
                piece += Array(String(scalar).utf8)
                rest.removeFirst()
            }
            words.append("=?utf-8?B?\(Base64.text(piece))?=")
        }
        return words.joined(separator: "\r\n ")
    }
}
