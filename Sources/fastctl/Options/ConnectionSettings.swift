import ArgumentParsing
import EngineCatalog

/// Options for reaching a remote engine; secrets are never arguments, which every user of the machine can read.
struct ConnectionSettings: OptionSetting {
    @Option(
        "--credentials-file",
        value: "FILE",
        completion: .files,
        help: "A file with credentials that only you can read"
    )
    var credentialsFile: String?

    @Option(
        "--credentials-env",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "An environment variable with credentials; FASTCTL_CREDENTIALS is read without this"
    )
    var credentialsVariable: String?

    @Option(
        "--credentials-helper",
        value: "COMMAND",
        completion: ArgumentCompletion.none,
        help: "A command that prints credentials; it ends with this one"
    )
    var credentialsHelper: String?

    @Option("--ca-file", value: "FILE", completion: .files, help: "Trust only the authorities in this PEM file")
    var authorityFile: String?

    @Option("--client-cert", value: "FILE", completion: .files, help: "A PEM file with your own certificate")
    var clientCertificate: String?

    @Option("--client-key", value: "FILE", completion: .files, help: "A PEM file with the key of --client-cert")
    var clientKey: String?

    @Option("--pin", value: "PIN", help: "Also require this public key of the server: sha256//BASE64")
    var pin: PinArgument?

    @Option(
        "--proxy",
        value: "URL|none",
        completion: .values(["none", ProxyText.environment]),
        help: "The proxy; without this, http_proxy and https_proxy are used"
    )
    var proxy: String?

    @Option("--request-timeout", value: "DURATION", help: "How long a request to an engine may take (default: 1m)")
    var requestTimeout: Duration?

    static let exclusive = [["--credentials-file", "--credentials-env", "--credentials-helper"]]

    func validate() throws {
        if let requestTimeout, requestTimeout <= .zero {
            throw ValidationError("--request-timeout must be more than 0")
        }
        // The value may hold a password and is not shown again.
        if let proxy, ProxyText.choice(proxy) == nil {
            throw ValidationError("the value of --proxy is not a valid proxy: expected \(ProxyText.expectation)")
        }
        if clientKey != nil, clientCertificate == nil { throw ValidationError("--client-key needs --client-cert") }
        for text in [credentialsFile, credentialsVariable, credentialsHelper] where text?.isEmpty ?? false {
            throw ValidationError("--credentials-… is empty")
        }
        // The value may be the password itself.
        if let credentialsVariable, !VariableText.isValid(credentialsVariable) {
            throw ValidationError(
                "the value of --credentials-env is not a valid name: expected \(VariableText.expectation)"
            )
        }
        if let credentialsHelper, !HelperText.isValid(credentialsHelper) {
            throw ValidationError("the value of --credentials-helper is not valid: expected \(HelperText.expectation)")
        }
    }

    /// The settings that were given.
    var settings: [ContextKey: String] {
        [
            .credentialsFile: credentialsFile, .credentialsVariable: credentialsVariable,
            .credentialsHelper: credentialsHelper, .authorityFile: authorityFile,
            .clientCertificate: clientCertificate, .clientKey: clientKey, .pin: pin?.text, .proxy: proxy,
            .requestTimeout: requestTimeout?.argumentText,
        ]
        .compactMapValues(\.self)
    }
}

/// A public key as given with `--pin`.
struct PinArgument: ArgumentValue {
    let text: String

    init(argument word: String) throws(ArgumentExpectation) {
        guard PinText.isValid(word) else { throw ArgumentExpectation(PinText.expectation) }
        text = word
    }

    var argumentText: String { text }
}
