import ContentFeeding
import Foundation
import TestSupport
import Testing

@testable import EngineCatalog

/// The base of a profile's paths, the limits of a project's paths, and the writing of profiles.
struct FarmProfileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func files(project: String? = nil, user: String? = nil) throws -> ContextFiles {
        ContextFiles(
            user: try user.map { try ContextFile(path: "/home/u/.config/fastctl/config.yaml", owner: .user, text: $0) },
            project: try project.map { try ContextFile(path: folder.path("fastctl.yaml"), owner: .project, text: $0) }
        )
    }

    private func refusal(_ paths: String) -> String? {
        do {
            _ = try files(project: "profiles: {p: {\(paths)}}").profile(named: "p", home: "/home/u")
            return nil
        } catch {
            return (error as? EngineError)?.message ?? "\(error)"
        }
    }

    @Test func `A user's paths are relative to the file's folder or to the home folder`() throws {
        let profile = try files(
            user: """
                profiles:
                  prod:
                    logs: [/logs/WFE*, ~/more, here.log]
                    zones: Europe/Vienna
                    web-config: [WFE1/Default=conf/a, "~/=b"]
                    suppress: s.yaml
                """
        ).profile(named: "prod", home: "/home/u")
        let base = "/home/u/.config/fastctl"
        #expect(profile.texts(.logs) == ["/logs/WFE*", "/home/u/more", base + "/here.log"])
        #expect(profile.texts(.webConfig) == ["WFE1/Default=\(base)/conf/a", "/home/u/=b"])
        #expect(profile.texts(.zones) == ["Europe/Vienna"] && profile.texts(.suppress) == [base + "/s.yaml"])
        #expect(profile[.logs].map(\.origin.place) == [3, 3, 3].map { "\(base)/config.yaml:\($0)" })
        try profile.check(found: "/etc/passwd")
    }

    @Test func `A project's paths stay within its folder, regardless of links`() throws {
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder.path("logs"), withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: folder.path("out"), withDestinationPath: "/etc")
        try manager.createSymbolicLink(atPath: folder.path("in"), withDestinationPath: folder.path("logs"))
        try manager.createSymbolicLink(atPath: folder.path("logs/link.log"), withDestinationPath: "/etc/hostname")
        for path in ["logs", "logs/*.log", "in/x", "not/yet/there", ".", "./logs/../logs", folder.path("logs")] {
            #expect(refusal("logs: [\"\(path)\"]") == nil, "\(path)")
        }
        for path in [
            "/etc", "..", "out", "out/hosts", "../x", "logs/../../x", "logs/*/../../x", "not/there/../../../x",
            "~/logs", "/*",
            folder.path("x").replacing("/x", with: "-x"),
        ] {
            #expect(refusal("logs: [\"\(path)\"]")?.contains("is not inside") == true, "\(path)")
        }
        #expect(refusal("web-config: [\"WFE1=../x\"]")?.contains("is not inside") == true)
        #expect(refusal("rules: /etc")?.hasPrefix(folder.path("fastctl.yaml") + ":1:") == true)
        // A glob may find a link.
        let profile = try files(project: "profiles: {p: {logs: 'logs/*'}}").profile(named: "p", home: nil)
        #expect(throws: EngineError.self) { try profile.check(found: folder.path("logs/link.log")) }
        try profile.check(found: folder.path("logs"))
    }

    @Test func `The project's profile takes precedence over the user's, and a misspelled name gets a suggestion`()
        throws
    {
        let files = try files(
            project: "profiles: {prod: {logs: x}}",
            user: "profiles: {prod: {logs: /x}, other: {logs: /y}}"
        )
        #expect(files.profileNames == ["prod", "other"])
        #expect(try files.profile(named: "prod", home: nil).texts(.logs) == [folder.path("x")])
        do {
            _ = try files.profile(named: "prd", home: nil)
            Issue.record("accepted")
        } catch {
            #expect(error.message == "unknown profile 'prd'")
            #expect(error.advice?.hasPrefix("did you mean 'prod'?") == true)
        }
    }

    @Test func `An unknown key is reported with its position`() throws {
        do {
            _ = try files(user: "profiles:\n  p:\n    lgos: /x\n")
            Issue.record("accepted")
        } catch let error as EngineError {
            #expect(error.message.contains("config.yaml:3:5: profiles.p: unknown key"))
            #expect(error.message.contains("did you mean \u{201C}logs\u{201D}?"))
        }
    }

    private static let kept = """
        # mine
        contexts:
          a: {target: 'sqlite:/a'}   # the store
        # the end
        current: a

        """

    @Test func `A profile is added and removed without any other change`() throws {
        let file = try ContextFile(path: "/c", owner: .user, text: Self.kept)
        let values: [(key: ProfileKey, texts: [String])] = [
            (.logs, ["/logs/WFE*", "/l: x"]), (.zones, []), (.rules, ["/r"]),
        ]
        let added = try ContextEdit(file, path: "/c").addingProfile("prod", values)
        let block = "profiles:\n  prod:\n    logs:\n      - \"/logs/WFE*\"\n      - \"/l: x\"\n    rules: /r\n"
        #expect(added == Self.kept + block)
        let again = try ContextFile(path: "/c", owner: .user, text: added)
        #expect(try ContextEdit(again, path: "/c").removingProfile("prod") == Self.kept)
        let two = try ContextEdit(again, path: "/c").addingProfile("test", [(.logs, ["/t"])])
        #expect(two == added + "  test:\n    logs:\n      - /t\n")
        // Contexts can be added and removed in a file with profiles.
        let context = try ContextEdit(again, path: "/c").adding("b", [Setting(.target, "sqlite:/b", .standard)])
        #expect(try ContextFile(path: "/c", owner: .user, text: context).profileNames == ["prod"])
    }

    @Test func `The first profile creates the file`() throws {
        let text = try ContextEdit(nil, path: "/c").addingProfile("prod", [(.logs, ["/logs"])])
        #expect(
            text.hasPrefix("# Profiles of fastctl") && text.hasSuffix("profiles:\n  prod:\n    logs:\n      - /logs\n")
        )
        #expect(throws: EngineError.self) {
            try ContextEdit(nil, path: "/c").addingProfile("a b", [(.logs, ["/logs"])])
        }
    }
}
