import ContentFeeding
import Foundation
import TestSupport
import Testing

@testable import EngineHTTP

/// The sources of keys, in an environment made by the test.
@Suite(.timeLimit(.minutes(1)))
struct AWSKeyRingTests {
    private static func load(
        _ origin: AWSSigning.Origin,
        _ variables: [String: String]
    ) async throws -> LoadedCredentials {
        var ring = AWSKeyRing(signing: AWSSigning(origin))
        ring.surroundings = AWSSurroundings { variables[$0] }
        return try await ring.load()
    }

    private static func keys(_ id: String, _ secret: String, _ token: String? = nil) throws -> LoadedCredentials.Proof {
        .aws(try #require(AWSKeys(accessKeyID: id, secretAccessKey: secret, sessionToken: token)))
    }

    private static let variables = ["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "hunter2"]

    @Test(arguments: [AWSSigning.Origin.environment, .first])
    func `Keys are read from variables`(origin: AWSSigning.Origin) async throws {
        #expect(try await Self.load(origin, Self.variables).proof == Self.keys("ID", "hunter2"))
        let temporary = Self.variables.merging(["AWS_SESSION_TOKEN": "T"]) { $1 }
        #expect(try await Self.load(origin, temporary).proof == Self.keys("ID", "hunter2", "T"))
    }

    @Test(arguments: [
        (["AWS_ACCESS_KEY_ID": "ID"], "AWS_SECRET_ACCESS_KEY is not"), ([:], "AWS_ACCESS_KEY_ID is not set"),
        (["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "hunter2 x"], "not in a recognized format"),
        (["AWS_ACCESS_KEY_ID": "ID\r\nX: hunter2", "AWS_SECRET_ACCESS_KEY": "x"], "not in a recognized format"),
    ])
    func `Variables without usable keys are refused`(variables: [String: String], words: String) async throws {
        let error = await #expect(throws: EngineError.self) { try await Self.load(.environment, variables) }
        #expect(error?.code == .permission && error?.message.contains(words) == true && error?.advice != nil)
        #expect(error?.message.contains("hunter2") == false)
    }

    private static let files = """
        # Keys
        [default]
        aws_access_key_id = DEFAULT
        aws_secret_access_key=hunter2
        [ dev ]
        aws_access_key_id=DEV
          s3 =
            aws_secret_access_key = wrong
        aws_secret_access_key = hunter2/+=
        aws_session_token = T==
        [half]
        aws_access_key_id=HALF
        """

    private static let configuration = """
        [default]
        region = us-west-2
        [profile dev]
        region = eu-central-1
        [profile printed]
        credential_process = printf '{"Version":1,"AccessKeyId":"P","SecretAccessKey":"S","SessionToken":"T",%s}' \
        '"Expiration":"2026-01-01T00:00:00Z"'
        [profile role]
        role_arn = arn:aws:iam::1:role/x
        [profile bad]
        credential_process = echo hunter2
        """

    private static func folder() throws -> (TemporaryFolder, [String: String]) {
        let folder = try TemporaryFolder()
        mkdir(folder.path(".aws"), 0o700)
        try Self.files.write(toFile: folder.path(".aws/credentials"), atomically: false, encoding: .utf8)
        chmod(folder.path(".aws/credentials"), 0o600)
        try Self.configuration.write(toFile: folder.path(".aws/config"), atomically: false, encoding: .utf8)
        return (folder, ["HOME": folder.path("")])
    }

    @Test func `Keys are read from profiles`() async throws {
        let (folder, home) = try Self.folder()
        defer { folder.remove() }
        #expect(try await Self.load(.profile(nil), home).proof == Self.keys("DEFAULT", "hunter2"))
        #expect(try await Self.load(.first, home).proof == Self.keys("DEFAULT", "hunter2"))
        let dev = try Self.keys("DEV", "hunter2/+=", "T==")
        #expect(try await Self.load(.profile("dev"), home).proof == dev)
        let named = home.merging(["AWS_PROFILE": "dev"]) { $1 }
        #expect(try await Self.load(.first, named).proof == dev)
        let printed = try await Self.load(.profile("printed"), home)
        #expect(try printed.proof == Self.keys("P", "S", "T") && printed.end?.stamp == "20260101T000000Z")
        let surroundings = AWSSurroundings { named[$0] }
        #expect(try surroundings.region(for: .first) == "eu-central-1")
        #expect(try surroundings.region(for: .profile("default")) == "us-west-2")
    }

    @Test(arguments: [
        ("half", "no aws_secret_access_key"), ("none", "unknown profile 'none'"), ("role", "'role_arn'"),
        ("bad", "not in a recognized format"),
    ])
    func `Profiles without usable keys are refused`(name: String, words: String) async throws {
        let (folder, home) = try Self.folder()
        defer { folder.remove() }
        let error = await #expect(throws: EngineError.self) { try await Self.load(.profile(name), home) }
        #expect(error?.code == .permission && error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("hunter2") == false && error?.advice != nil)
    }

    @Test func `Keys that others can read are refused`() async throws {
        let (folder, home) = try Self.folder()
        chmod(folder.path(".aws/credentials"), 0o644)
        let error = await #expect(throws: EngineError.self) { try await Self.load(.profile(nil), home) }
        #expect(error?.message.contains("open to other users") == true)
    }

    private static let json =
        #"{"AccessKeyId":"M","SecretAccessKey":"S","Token":"T","Expiration":"2026-01-01T00:00:00Z","Code":"Success"}"#

    /// Returns an endpoint that provides keys to clients that prove their authorization.
    private static func endpoint() throws -> ScriptedServer {
        try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                let line = request.prefix { $0 != "\r\n" }
                let isProven = request.contains("\r\nX-aws-ec2-metadata-token: PROOF\r\n")
                let path = "GET /latest/meta-data/iam/security-credentials/"
                switch line {
                case "PUT /latest/api/token HTTP/1.1" where request.contains("token-ttl-seconds: 21600\r\n"):
                    client.answer("PROOF")
                case "\(path) HTTP/1.1" where isProven: client.answer("my-role\n")
                case "\(path)my-role HTTP/1.1" where isProven: client.answer(json)
                case "GET /keys HTTP/1.1" where request.contains("\r\nAuthorization: TASK\r\n"): client.answer(json)
                default: client.send("HTTP/1.1 401 S\r\nContent-Length: 0\r\n\r\n")
                }
            }
        }
    }

    @Test func `An instance provides the keys of its role`() async throws {
        let server = try Self.endpoint()
        let variables = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:\(server.port)/"]
        for origin in [AWSSigning.Origin.instance, .first] {
            let found = try await Self.load(origin, variables)
            #expect(try found.proof == Self.keys("M", "S", "T") && found.end?.stamp == "20260101T000000Z")
        }
        let disabled = variables.merging(["AWS_EC2_METADATA_DISABLED": "true"]) { $1 }
        await #expect(throws: EngineError.self) { try await Self.load(.instance, disabled) }
    }

    @Test func `A container provides the keys of its task`() async throws {
        let server = try Self.endpoint()
        let folder = try TemporaryFolder()
        try "TASK\n".write(toFile: folder.path("token"), atomically: false, encoding: .utf8)
        var variables = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:\(server.port)/keys"]
        let error = await #expect(throws: EngineError.self) { try await Self.load(.container, variables) }
        #expect(error?.message.contains("responded with 401") == true)
        variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "TASK"
        #expect(try await Self.load(.container, variables).proof == Self.keys("M", "S", "T"))
        variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = nil
        variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = folder.path("token")
        #expect(try await Self.load(.first, variables).proof == Self.keys("M", "S", "T"))
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080/x", true), ("http://localhost/x", true), ("http://[::1]:1/x", true),
        ("http://169.254.170.2/x", true), ("http://169.254.170.23/x", true), ("http://[fd00:ec2::23]/x", true),
        ("https://keys.example.org/x", true), ("http://keys.example.org/x", false),
        ("http://127.0.0.1.evil.org/x", false),
        ("http://127.0.0.1@evil.org/", false), ("http://169.254.170.2.evil.org/", false), ("ftp://127.0.0.1/", false),
        ("", false),
    ])
    func `Only local or encrypted endpoints are used`(url: String, isTrusted: Bool) {
        #expect(AWSMetadata.isTrusted(url) == isTrusted)
    }

    @Test(arguments: [
        ("search-web-abc123.eu-central-1.es.amazonaws.com", "eu-central-1", AWSSigning.Service.es),
        ("VPC-web-x.us-gov-west-1.es.amazonaws.com", "us-gov-west-1", .es),
        ("search-web-x.cn-north-1.es.amazonaws.com.cn", "cn-north-1", .es),
        ("abc.us-east-1.aoss.amazonaws.com.", "us-east-1", .aoss),
        ("search-web-x.aos.us-east-1.on.aws", "us-east-1", .es),
    ])
    func `Amazon's host names contain the region and the service`(
        host: String,
        region: String,
        service: AWSSigning.Service
    ) throws {
        let told = try #require(AWSSigning.told(by: host))
        #expect(told.region == region && told.service == service)
        let none = AWSSurroundings { _ in "nowhere" }
        let node = NodeAddress(scheme: .https, host: host, port: 443)
        #expect(try AWSSigning(.first).scope(of: node, none) == SigningScope(region: region, service: service.rawValue))
        let chosen = try AWSSigning(.first, region: "x-1", service: .aoss).scope(of: node, none)
        #expect(chosen == SigningScope(region: "x-1", service: "aoss"))
    }

    @Test(arguments: [
        "search.example.org", "es.amazonaws.com", "s3.eu-west-1.amazonaws.com", "a.b.c.on.aws", "", "[::1]",
    ])
    func `Other host names contain neither a region nor a service`(host: String) {
        #expect(AWSSigning.told(by: host) == nil)
    }
}
