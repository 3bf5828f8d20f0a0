import ArgumentParsing
import ContentFeeding
import EngineHTTP

extension ConnectionOptions {
    /// How to speak to an engine, from what was set; what is not stays as it is by default.
    init(_ settings: [ContextKey: Setting]) throws(EngineError) {
        self.init()
        if let variable = settings[.credentialsVariable], !VariableText.isValid(variable.value) {
            let expected = "expected \(VariableText.expectation)"
            throw Self.refusal(of: variable, "is no name", advice: expected, isShown: false)
        }
        if let helper = settings[.credentialsHelper], !HelperText.isValid(helper.value) {
            let expected = "expected \(HelperText.expectation)"
            throw Self.refusal(of: helper, "begins with a relative path", advice: expected, isShown: false)
        }
        credentials = Self.credentials(settings)
        tls.authorityFile = settings[.authorityFile]?.value
        tls.clientCertificateFile = settings[.clientCertificate]?.value
        tls.clientKeyFile = settings[.clientKey]?.value
        if let key = settings[.clientKey], settings[.clientCertificate] == nil {
            throw Self.refusal(of: key, "belongs to a certificate", advice: "name that too: client-cert")
        }
        if let pin = settings[.pin] {
            guard PinText.isValid(pin.value) else {
                throw Self.refusal(of: pin, "is no pin", advice: "expected \(PinText.expectation)")
            }
            tls.pinnedPublicKey = pin.value
        }
        if let text = settings[.proxy] {
            guard let choice = ProxyText.choice(text.value) else {
                // It may hold a password.
                throw Self.refusal(of: text, "is no proxy", advice: "expected \(ProxyText.expectation)", isShown: false)
            }
            proxy = choice
        }
        if let text = settings[.requestTimeout] {
            guard let limit = try? Duration(argument: text.value), limit > .zero else {
                throw Self.refusal(of: text, "is no time limit", advice: "expected a duration such as 30s or 5m")
            }
            requestTimeout = limit
        }
    }

    private static func credentials(_ settings: [ContextKey: Setting]) -> CredentialSource? {
        if let path = settings[.credentialsFile] { return .file(path: path.value) }
        if let name = settings[.credentialsVariable] { return .environment(variable: name.value) }
        if let command = settings[.credentialsHelper] { return .helper(command: command.value) }
        return nil
    }

    private static func refusal(
        of setting: Setting,
        _ problem: String,
        advice: String,
        isShown: Bool = true
    ) -> EngineError {
        let value = isShown ? " '\(setting.value)'" : ""
        return EngineError(
            .rejected,
            "\(setting.origin): the value\(value) of \(setting.key.rawValue) \(problem)",
            advice: advice
        )
    }
}
