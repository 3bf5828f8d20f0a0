import ContentFeeding

/// How requests to a service of Amazon's are signed: with whose keys, and for which region and service.
public struct AWSSigning: Hashable, Sendable {
    /// Where the keys come from.
    public enum Origin: Hashable, Sendable {
        /// The first of the places below that has any, in that order.
        case first
        /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
        case environment
        /// A section of `~/.aws/credentials`; `nil` for the one that `AWS_PROFILE` names, or `default`.
        case profile(String?)
        /// The endpoint that a container's variables `AWS_CONTAINER_CREDENTIALS_…` name.
        case container
        /// The role of the machine that this runs on.
        case instance
    }

    /// A service that requests can be signed for.
    public enum Service: String, CaseIterable, Sendable {
        /// Domains of Amazon OpenSearch Service.
        case es
        /// Collections of OpenSearch Serverless.
        case aoss
    }

    public var origin: Origin
    /// The region; `nil` if the host name tells, or else the environment or the profile.
    public var region: String?
    /// The service; `nil` if the host name tells; one that tells nothing is a domain's own name.
    public var service: Service?

    public init(_ origin: Origin, region: String? = nil, service: Service? = nil) {
        (self.origin, self.region, self.service) = (origin, region, service)
    }

    /// The words for the places of keys, as options and settings write them.
    public static let expectation = "'default', 'environment', 'profile', 'profile:NAME', 'container' or 'instance'"

    /// Returns the place of keys that an option or a setting names; `nil` if it names none.
    public static func origin(_ text: String) -> Origin? {
        switch text {
        case "default": return .first
        case "environment": return .environment
        case "profile": return .profile(nil)
        case "container": return .container
        case "instance": return .instance
        default:
            let prefix = "profile:"
            guard text.hasPrefix(prefix), AWSProfiles.isName(text.dropFirst(prefix.count)) else { return nil }
            return .profile(String(text.dropFirst(prefix.count)))
        }
    }

    /// Returns whether the text can be a region's name.
    public static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension AWSSigning: CustomStringConvertible {
    /// The place of the keys, worded to follow `the credentials from`.
    public var description: String {
        switch origin {
        case .first: "AWS's variables, profile, container or instance"
        case .environment: "the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        case .profile(let name?): "the AWS profile '\(name)'"
        case .profile(nil): "the AWS profile of AWS_PROFILE, or 'default'"
        case .container: "the container's AWS endpoint"
        case .instance: "the instance's AWS role"
        }
    }

    /// Advice about wrong keys.
    var advice: String {
        switch origin {
        case .first: "see which of them answers with 'aws configure list', or name one: --credentials-aws profile:NAME"
        case .environment: "set these variables to valid keys, and AWS_SESSION_TOKEN if they are temporary"
        case .profile: "renew its keys, as with 'aws configure' or 'aws sso login'"
        case .container, .instance: "check that its role may be used, and what the role allows"
        }
    }
}

extension AWSSigning {
    /// Returns what requests to a node are signed for.
    ///
    /// A setting comes before what the host name says, and that before the environment and the profile, which know
    /// nothing of the target.
    func scope(of node: NodeAddress, _ surroundings: AWSSurroundings) throws(EngineError) -> SigningScope {
        let told = Self.told(by: node.host)
        let service = service ?? told?.service ?? .es
        var known = region ?? told?.region
        if known == nil { known = try surroundings.region(for: origin) }
        guard let region = known else {
            throw EngineError(
                .rejected,
                "the AWS region of \(node) is not known: its name is not one of Amazon's",
                advice: "use --aws-region REGION, or set AWS_REGION"
            )
        }
        guard Self.isRegion(region) else {
            throw EngineError(
                .rejected,
                "the AWS region for \(node) is not a valid name",
                advice: "use --aws-region REGION, such as eu-central-1"
            )
        }
        return SigningScope(region: region, service: service.rawValue)
    }

    /// Returns what a host name of Amazon's says: `search-NAME-ID.REGION.es.amazonaws.com`,
    /// `ID.REGION.aoss.amazonaws.com` (with `.cn` in China), `NAME-ID.aos.REGION.on.aws`.
    static func told(by host: String) -> (region: String, service: Service)? {
        var labels = host.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        if labels.last == "" { labels.removeLast() }
        if labels.last == "cn" { labels.removeLast() }
        if labels.count >= 5, labels.suffix(2) == ["amazonaws", "com"],
            let service = Service(rawValue: String(labels[labels.count - 3]))
        {
            return (String(labels[labels.count - 4]), service)
        }
        if labels.count >= 5, labels.suffix(2) == ["on", "aws"], labels[labels.count - 4] == "aos" {
            return (String(labels[labels.count - 3]), .es)
        }
        return nil
    }
}
