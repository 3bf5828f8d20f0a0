import ContentFeeding
import EngineHTTP

/// The settings of signed requests, as written in options and settings files.
public enum AWSText {
    /// The places of keys that have no name of their own.
    public static let sources = ["default", "environment", "profile", "container", "instance"]

    /// What may be written for the source of keys.
    public static let sourceExpectation = AWSSigning.expectation
    /// What may be written for a region.
    public static let regionExpectation = "a region such as eu-central-1"

    /// The services that requests are signed for.
    public static let services = AWSSigning.Service.allCases.map(\.rawValue)

    /// Whether this names a source of keys.
    public static func isSource(_ text: String) -> Bool { AWSSigning.origin(text) != nil }

    /// Whether this may be the name of a region.
    public static func isRegion(_ text: String) -> Bool { AWSSigning.isRegion(text) }
}

extension AWSSigning {
    /// Reads how requests are signed; `nil` if they are not.
    init?(_ settings: [ContextKey: Setting]) throws(EngineError) {
        guard let setting = settings[.credentialsAWS] else { return nil }
        guard let origin = AWSSigning.origin(setting.value) else {
            // Somebody may have put a key here.
            throw EngineError(
                .rejected,
                "\(setting.origin): the value of \(setting.key.rawValue) is no place of AWS credentials",
                advice: "expected \(AWSSigning.expectation)"
            )
        }
        self.init(origin)
        if let setting = settings[.regionAWS] {
            guard AWSSigning.isRegion(setting.value) else { throw setting.refusal(AWSText.regionExpectation) }
            region = setting.value
        }
        if let setting = settings[.serviceAWS] {
            service = Service(rawValue: setting.value)
            guard service != nil else { throw setting.refusal(AWSText.services.joined(separator: " or ")) }
        }
    }
}

extension Setting {
    fileprivate func refusal(_ expectation: String) -> EngineError {
        EngineError(
            .rejected,
            "\(origin): the value '\(value)' of \(key.rawValue) is not valid",
            advice: "expected \(expectation)"
        )
    }
}
