import ArgumentParsing
import Digests
import Files
import HTTPClient
import Hooks
import JSONText
import Notifications
import TextKit
import YAML

/// The targets of notifications, with their secrets, whose files are read together with the settings.
struct NotificationSettings: Sendable {
    var targets: [NotificationTarget] = []
    /// The users who may subscribe with a browser; `nil` without a target for browsers.
    var pushAccess: AccessRule?

    /// The only target that notifies browsers.
    var webPush: WebPushTarget? {
        for case .webPush(let push) in targets.map(\.channel) { return push }
        return nil
    }

    init() {}
}

/// A target in its written form.
struct NotificationFile: Decodable {
    var webhook: Located<String>?
    var mail: Mail?
    var webPush: WebPush?
    var events: Located<[Located<String>]>?
    var template: Located<String>?
    var secretFile: Located<String>?
    var body: Located<String>?
    var allow: [Located<String>]?
    var authorities: Located<String>?
    var attempts: Located<Int>?
    var timeout: Located<String>?

    enum CodingKeys: String, CodingKey {
        case webhook, mail, events, template, body, allow, authorities, attempts, timeout
        case webPush = "web-push"
        case secretFile = "secret-file"
    }

    struct Mail: Decodable {
        var server: Located<String>
        var from: Located<String>
        var to: [Located<String>]
        var subject: Located<String>?
        var user: Located<String>?
        var passwordFile: Located<String>?

        enum CodingKeys: String, CodingKey {
            case server, from, to, subject, user
            case passwordFile = "password-file"
        }
    }

    struct WebPush: Decodable {
        var keyFile: Located<String>
        var subject: Located<String>
        var access: Located<String>?

        enum CodingKeys: String, CodingKey {
            case subject, access
            case keyFile = "key-file"
        }
    }
}

// MARK: - Reading

extension NotificationSettings {
    typealias Wrong = (Place?, String, String) -> SettingsError

    /// Checks all targets, and reads their files.
    init(
        _ file: YAMLMapping<NotificationFile>?,
        _ absolute: @escaping (String) -> String,
        _ wrong: @escaping Wrong
    ) throws(SettingsError) {
        for entry in file?.entries ?? [] {
            let reader = TargetReader(name: entry.key, file: entry.value, absolute: absolute, wrong: wrong)
            targets.append(try reader.target())
            guard let push = entry.value.webPush else { continue }
            guard pushAccess == nil else {
                throw wrong(entry.key.place, "there is already a target with 'web-push'", "keep one of them")
            }
            pushAccess = try reader.access(push.access)
        }
    }
}

/// Reads one target.
private struct TargetReader {
    let name: Located<String>
    let file: NotificationFile
    let absolute: (String) -> String
    let wrong: NotificationSettings.Wrong

    func target() throws(SettingsError) -> NotificationTarget {
        var target = NotificationTarget(
            name.value,
            try kinds(),
            try channel(),
            template: try file.template.map { text throws(SettingsError) in try template(text) } ?? .message
        )
        if let attempts = file.attempts {
            guard (1...100).contains(attempts.value) else {
                throw wrong(attempts.place, "the attempts must be from 1 to 100", "write attempts: 14")
            }
            target.retries.attempts = attempts.value
        }
        return target
    }

    private func kinds() throws(SettingsError) -> Set<ServerEvent.Kind> {
        let known = ServerEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let events = file.events, !events.value.isEmpty else {
            throw wrong(file.events?.place ?? name.place, "the target '\(name.value)' has no events", "use \(known)")
        }
        var kinds: Set<ServerEvent.Kind> = []
        for event in events.value {
            guard let kind = ServerEvent.Kind(rawValue: event.value) else {
                throw wrong(event.place, "'\(event.value)' is not an event", "use \(known)")
            }
            kinds.insert(kind)
        }
        return kinds
    }

    private func channel() throws(SettingsError) -> NotificationTarget.Channel {
        switch (file.webhook, file.mail, file.webPush) {
        case (let url?, nil, nil): return .webhook(try webhook(url))
        case (nil, let mail?, nil): return .mail(try mailTarget(mail))
        case (nil, nil, let push?): return .webPush(try webPush(push))
        default:
            throw wrong(
                name.place,
                "the target '\(name.value)' is not one of webhook, mail and web-push",
                "specify exactly one of them"
            )
        }
    }

    // MARK: Channels

    private func webhook(_ text: Located<String>) throws(SettingsError) -> Webhook {
        let guardian = try guardian()
        guard let url = TargetURL(text.value) else {
            throw wrong(text.place, "the webhook is not a plain URL", "write https://HOST/PATH, without a user")
        }
        guard url.scheme == "https" || guardian.allowed.contains(url.host) else {
            throw wrong(text.place, "the webhook is not an https URL", "use https, or name the host in 'allow'")
        }
        let secret = try file.secretFile.map { path throws(SettingsError) in
            let secret = try line(in: path, "the secret")
            guard secret.utf8.count >= 16 else {
                throw wrong(path.place, "the secret has fewer than 16 bytes", "create one with: openssl rand -hex 32")
            }
            return Array(secret.utf8)
        }
        var webhook = Webhook(url, secret: secret, by: guardian, over: try transport())
        if let body = file.body {
            let template = try template(body)
            let sample = ServerEvent(.findings, at: .zero, subject: "x", message: "x")
            guard (try? JSONValue(Array(template.text(of: sample, for: "x", on: .json).utf8))) != nil else {
                throw wrong(
                    body.place,
                    "the body is not JSON",
                    "put each value in quotes: {\"text\": \"{{message}}\"}"
                )
            }
            webhook.body = template
        }
        return webhook
    }

    private func mailTarget(_ mail: NotificationFile.Mail) throws(SettingsError) -> MailTarget {
        try refuse([file.secretFile?.place, file.body?.place, file.allow?.first?.place], for: "mail")
        guard let url = TargetURL(mail.server.value, schemes: ["smtp": 25, "smtps": 465]),
            url.text.hasSuffix(url.origin)
                || url.text.hasSuffix(":\(url.port)")
        else {
            throw wrong(mail.server.place, "the mail server is not a URL", "write smtp://HOST:PORT or smtps://HOST")
        }
        for address in [mail.from] + mail.to where !MailServer.isAddress(address.value) {
            throw wrong(address.place, "'\(address.value)' is not a mail address", "write name@host")
        }
        guard !mail.to.isEmpty, mail.to.count <= 100 else {
            throw wrong(mail.from.place, "a mail needs from 1 to 100 recipients", "write to: [name@host]")
        }
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        var server = MailServer(
            host: host,
            port: url.port,
            // On the same machine, the connection can't be intercepted on the network.
            security: url.scheme == "smtps" ? .immediate : url.isLoopback ? .none : .upgraded
        )
        server.authorityFile = try readableFile(file.authorities)
        server.timeLimit = try timeout() ?? server.timeLimit
        switch (mail.user, mail.passwordFile) {
        case (let user?, let path?):
            server.credentials = MailCredentials(user: user.value, password: try line(in: path, "the password"))
        case (nil, nil): break
        case (let one?, nil), (nil, let one?):
            throw wrong(one.place, "a user needs a password, and a password a user", "specify user and password-file")
        }
        let subject = try mail.subject.map { text throws(SettingsError) in try template(text) } ?? .subject
        return MailTarget(server, from: mail.from.value, to: mail.to.map(\.value), subject: subject)
    }

    private func webPush(_ push: NotificationFile.WebPush) throws(SettingsError) -> WebPushTarget {
        try refuse([file.secretFile?.place, file.body?.place], for: "web-push")
        guard let key = P256PrivateKey(pem: try text(in: push.keyFile, "the key")) else {
            throw wrong(
                push.keyFile.place,
                "'\(push.keyFile.value)' is not a private key on P-256",
                "create one with: content-distributor notifications keys FILE"
            )
        }
        let subject = push.subject.value
        guard ["mailto:", "https://"].contains(where: { subject.hasPrefix($0) && subject != $0 }),
            subject.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw wrong(push.subject.place, "the subject is not a mailto: or https: URL", "write mailto:name@host")
        }
        return WebPushTarget(key, subject: subject, by: try guardian(), over: try transport())
    }

    /// Returns the rule for users who subscribe; without a rule, only administrators may subscribe.
    func access(_ text: Located<String>?) throws(SettingsError) -> AccessRule {
        guard let text else { return .locked }
        do throws(HookDefect) {
            let rule = try AccessRule(text.value)
            guard !rule.isAboutDocuments, rule.decision(about: nil) == .unauthenticated else {
                throw HookDefect(column: 1, message: "'\(text.value)' is not a rule about signed-in users")
            }
            return rule
        } catch {
            let place = Place(line: text.place.line, column: text.place.column + error.column - 1)
            throw wrong(place, error.message, "use users, admins, application-key or user.NAME == 'TEXT'")
        }
    }

    // MARK: Parts

    private func template(_ text: Located<String>) throws(SettingsError) -> NotificationTemplate {
        do throws(NotificationTemplate.Defect) {
            return try NotificationTemplate(text.value)
        } catch {
            let place = Place(line: text.place.line, column: text.place.column + error.column - 1)
            throw wrong(place, error.message, "correct the template")
        }
    }

    private func guardian() throws(SettingsError) -> AddressGuard {
        for host in file.allow ?? [] {
            let shown = host.value.contains(":") ? "[\(host.value)]" : host.value
            guard TargetURL("https://\(shown)/")?.host == host.value.lowercased() else {
                throw wrong(
                    host.place,
                    "'\(host.value)' is not a host",
                    "write its name or its address, without a port"
                )
            }
        }
        return AddressGuard(allowing: Set((file.allow ?? []).map(\.value)))
    }

    private func transport() throws(SettingsError) -> GuardedTransport {
        GuardedTransport(timeLimit: try timeout() ?? .seconds(10), authorities: try readableFile(file.authorities))
    }

    private func timeout() throws(SettingsError) -> Duration? {
        guard let text = file.timeout else { return nil }
        guard let duration = try? Duration(argument: text.value),
            (.milliseconds(100) ... .seconds(60)).contains(duration)
        else { throw wrong(text.place, "'\(text.value)' is not a duration from 100ms to 60s", "write timeout: 10s") }
        return duration
    }

    private func refuse(_ places: [Place?], for channel: String) throws(SettingsError) {
        guard let place = places.compactMap({ $0 }).first else { return }
        throw wrong(place, "this key has no meaning for \(channel)", "remove it")
    }

    private func readableFile(_ path: Located<String>?) throws(SettingsError) -> String? {
        guard let path else { return nil }
        _ = try text(in: path, "the file")
        return absolute(path.value)
    }

    private func text(in path: Located<String>, _ thing: String) throws(SettingsError) -> String {
        do throws(FileError) {
            return String(decoding: try SmallFile.read(absolute(path.value), maximum: 1 << 20), as: UTF8.self)
        } catch {
            throw wrong(path.place, "\(thing) can't be read: \(error.failure.message)", "check the path")
        }
    }

    private func line(in path: Located<String>, _ thing: String) throws(SettingsError) -> String {
        let lines = try text(in: path, thing).split(whereSeparator: \.isNewline)
        guard lines.count == 1 else {
            throw wrong(
                path.place,
                "'\(path.value)' does not contain exactly one line with \(thing)",
                "write only that"
            )
        }
        return String(lines[0])
    }
}
