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

    @Option(
        "--credentials-aws",
        value: "SOURCE",
        completion: .values(AWSText.sources),
        help:
            "Sign requests for Amazon (SigV4) with keys from default, environment, profile[:NAME], container or instance"
    )
    var credentialsAWS: String?

    @Option(
        "--aws-region",
        value: "REGION",
        completion: ArgumentCompletion.none,
        help: "The region to sign for; without this, that of the host's name, else $AWS_REGION, else the profile's"
    )
    var regionAWS: String?

    @Option(
        "--aws-service",
        value: "es|aoss",
        completion: .values(AWSText.services),
        help: "The service to sign for; without this, that of the host's name, else es"
    )
    var serviceAWS: String?

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

    static let exclusive = [
        ["--credentials-file", "--credentials-env", "--credentials-helper", "--credentials-aws"]
    ]

    func validate() throws {
        if let requestTimeout, requestTimeout <= .zero {
            throw ValidationError("--request-timeout must be more than 0")
        }
        // The value may hold a password and is not shown again.
        if let proxy, ProxyText.choice(proxy) == nil {
            throw ValidationError("the value of --proxy is not a valid proxy: expected \(ProxyText.expectation)")
        }
        if clientKey != nil, clientCertificate == nil { throw ValidationError("--client-key needs --client-cert") }
        for text in [credentialsFile, credentialsVariable, credentialsHelper, credentialsAWS]
        where text?.isEmpty ?? false {
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
        // The value may be a key.
        if let credentialsAWS, !AWSText.isSource(credentialsAWS) {
            throw ValidationError(
                "the value of --credentials-aws is no place of credentials: expected \(AWSText.sourceExpectation)"
            )
        }
        if let regionAWS, !AWSText.isRegion(regionAWS) {
            throw ValidationError(
                "--aws-region: '\(regionAWS)' is not a valid region: expected \(AWSText.regionExpectation)"
            )
        }
        if let serviceAWS, !AWSText.services.contains(serviceAWS) {
            throw ValidationError("--aws-service: '\(serviceAWS)' is not a known service: expected es or aoss")
        }
    }

    /// The settings that were given.
    var settings: [ContextKey: String] {
        [
            .credentialsFile: credentialsFile, .credentialsVariable: credentialsVariable,
            .credentialsHelper: credentialsHelper, .credentialsAWS: credentialsAWS, .regionAWS: regionAWS,
            .serviceAWS: serviceAWS, .authorityFile: authorityFile,
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
