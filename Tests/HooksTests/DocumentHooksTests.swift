import JSONText
import Testing

@testable import Hooks

/// Hooks without programs: the effect of each hook on a document.
struct DocumentHooksTests {
    private let facts = HookFacts(
        collection: "Web",
        user: ["name": .text("Ann"), "role": .text("user"), "groups": .list(["red", "blue"])],
        request: ["address": .text("127.0.0.1"), "method": .text("PUT")]
    )

    private func result(
        _ hooks: [DocumentHook],
        _ json: String,
        for verb: HookVerb = .insert,
        _ facts: HookFacts? = nil
    ) async -> String {
        do {
            let bytes = try await DocumentHooks(hooks).applied(
                for: verb,
                to: Array(json.utf8),
                facts ?? self.facts,
                HookPrograms([:]) { _ in }
            )
            return String(decoding: bytes, as: UTF8.self)
        } catch let refusal as HookRefusal {
            return "\(refusal.status) \(refusal.field ?? "-") \(refusal.message)"
        } catch {
            return "\(error)"
        }
    }

    private static func set(_ field: String, _ text: String) throws -> DocumentHook.Action {
        .set([.init(field, try HookOperand(text))])
    }

    private static func fill(_ field: String, _ text: String) throws -> DocumentHook.Action {
        .fill([.init(field, try HookOperand(text))])
    }

    @Test(arguments: [
        // A hook without any effect leaves every byte unchanged.
        (DocumentHook.Action.require(["a", "b"]), #"{ "a" : 0, "b" : [] }"#, #"{ "a" : 0, "b" : [] }"#),
        (.require(["a"]), #"{}"#, "422 a the field 'a' is missing"),
        (.require(["a"]), #"{"a":null}"#, "422 a the field 'a' is empty"),
        (.require(["a"]), #"{"a":""}"#, "422 a the field 'a' is empty"),
        (.require(["a"]), #"{"a":1,"a":null}"#, "422 a the field 'a' is empty"),
        (.require(["a"]), #"{"\u0061":1}"#, #"{"\u0061":1}"#),
        (.drop(["a"]), #"{"a":1,"b":2,"\u0061":3}"#, #"{"b":2}"#),
        (.drop(["a"]), #"{"a":1}"#, "{}"),
        (.drop(["a"]), #"{ "b": {"a": 1} }"#, #"{ "b": {"a": 1} }"#),
        (.refuse("not today"), "{}", "422 - not today"),
        (.set([.init("a", .constant(Array("[1]".utf8)))]), #"{"a":0,"b":1,"a":2}"#, #"{"a":[1],"b":1}"#),
        (.set([.init("a", .constant(Array("1".utf8)))]), #"{ "a": 1 }"#, #"{ "a": 1 }"#),
    ])
    func `Each action has its effect on the document`(action: DocumentHook.Action, json: String, expected: String) async
    {
        #expect(await result([DocumentHook(on: [.insert], action)], json) == expected)
    }

    @Test(arguments: [
        ("user.name", #"{"a":"Ann"}"#), ("user.groups", #"{"a":["red","blue"]}"#),
        ("request.address", #"{"a":"127.0.0.1"}"#), ("draft", #"{"a":"draft"}"#),
        ("'user.name'", #"{"a":"user.name"}"#),
        ("with \"quotes\"", #"{"a":"with \"quotes\""}"#),
    ])
    func `A field is set from the user, from the request, or to a constant`(text: String, expected: String) async throws
    {
        #expect(await result([DocumentHook(on: [.insert], try Self.set("a", text))], #"{"a":0}"#) == expected)
        #expect(await result([DocumentHook(on: [.insert], try Self.fill("a", text))], #"{"a":null}"#) == expected)
        #expect(await result([DocumentHook(on: [.insert], try Self.fill("a", text))], #"{"a":0}"#) == #"{"a":0}"#)
    }

    @Test func `A field whose value is unknown is removed, so clients can't choose its value`() async throws {
        let hook = DocumentHook(on: [.insert], try Self.set("editor", "user.name"))
        let nobody = HookFacts(collection: "Web", user: nil, request: [:])
        #expect(await result([hook], #"{"editor":"root","b":1}"#, nobody) == #"{"b":1}"#)
        let fill = DocumentHook(on: [.insert], try Self.fill("editor", "user.name"))
        #expect(await result([fill], #"{"b":1}"#, nobody) == #"{"b":1}"#)
    }

    @Test func `Hooks run in order, and each hook sees the result of the previous ones`() async throws {
        let hooks = [
            DocumentHook(on: [.insert], try Self.set("a", "document.b")),
            DocumentHook(on: [.insert], .drop(["b"])),
            DocumentHook(on: [.update], .refuse("only on update")),
            DocumentHook(on: [.insert], try Self.set("c", "document.a")),
            DocumentHook(on: [.insert], .require(["c"])),
        ]
        #expect(await result(hooks, #"{"b":{"x": 1}}"#) == #"{"a":{"x": 1},"c":{"x": 1}}"#)
        #expect(await result(hooks, "{}") == "422 c the field 'c' is missing")
        #expect(await result(hooks, "{}", for: .update) == "422 - only on update")
        // A line that may either insert or update is subject to the hooks for both.
        #expect(await result(hooks, #"{"b":1}"#, for: .write) == "422 - only on update")
        #expect(await result(hooks, #"{"b":1}"#, for: .read) == #"{"b":1}"#)
    }

    @Test(arguments: [
        ("document.status == 'locked'", #"{"status":"locked"}"#, true),
        ("document.status == 'locked'", #"{"status":"open"}"#, false), ("document.status == 'locked'", "{}", false),
        ("document.status != 'locked'", "{}", true), ("document.n == '1'", #"{"n":1}"#, true),
        ("document.n == '1'", #"{"n":1.0}"#, false), ("document.b == 'true'", #"{"b":true}"#, true),
        ("document.tags == 'x'", #"{"tags":["y","x"]}"#, true), ("user.groups == 'blue'", "{}", true),
        ("user.groups == document.group", #"{"group":"red"}"#, true), ("user.absent == user.absent", "{}", false),
        ("user.name=='Ann'&&request.method=='PUT'", "{}", true),
        ("user.name == 'Ann' && request.method == 'GET'", "{}", false),
        ("document.s == 'é'", "{\"s\":\"e\u{301}\"}", false), ("document.s == 'A'", #"{"s":"\u0041"}"#, true),
        ("'a' != 'b'", "{}", true),
    ])
    func `A condition decides whether a hook applies`(text: String, json: String, holds: Bool) async throws {
        let hook = DocumentHook(on: [.delete], .refuse("it holds"), if: try HookCondition(text))
        #expect(await result([hook], json, for: .delete) == (holds ? "422 - it holds" : json))
    }

    @Test(arguments: [
        ("", 1), ("status == 'x'", 1), ("document. == 'x'", 10), ("document.a = 'x'", 12), ("document.a == x", 15),
        ("document.a == 'x", 15), ("document.a == 'x' and user.b == 'y'", 19), ("request.body == 'x'", 9),
        ("document.a == 'x' &&", 21),
    ])
    func `A condition that can't be parsed is refused with its column`(text: String, column: Int) {
        #expect { try HookCondition(text) } throws: { ($0 as? HookDefect)?.column == column }
    }

    @Test func `Only hooks that differ for inserts and updates require a check whether the document exists`() throws {
        let both = DocumentHook(on: [.insert, .update], .drop(["a"]))
        #expect(!DocumentHooks([both]).distinguishesInserts)
        #expect(DocumentHooks([both, DocumentHook(on: [.insert], .drop(["b"]))]).distinguishesInserts)
        #expect(DocumentHooks([DocumentHook(on: [.insert, .update], .program("p"))]).distinguishesInserts)
        let locked = try HookCondition("document.status == 'locked'")
        #expect(DocumentHooks([DocumentHook(on: [.delete], .refuse("x"), if: locked)]).needDocument(for: .delete))
        let others = try HookCondition("user.name != 'Ann'")
        #expect(!DocumentHooks([DocumentHook(on: [.delete], .refuse("x"), if: others)]).needDocument(for: .delete))
    }

    /// Random documents and hooks, compared with a model that is a list of pairs.
    @Test func `Edits of random documents match a model`() async throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let pairs = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                (key: "abc".randomElement(using: &random).map(String.init) ?? "a", value: Int.random(in: 0...2))
            }
            let json = "{" + pairs.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
            let (field, value) = ("abc".randomElement(using: &random).map(String.init) ?? "a", Int.random(in: 0...2))
            let set = DocumentHook(on: [.insert], .set([.init(field, .constant(Array("\(value)".utf8)))]))
            let drop = DocumentHook(on: [.insert], .drop([field]))
            let kept = pairs.filter { $0.key != field }
            let model = Dictionary(kept.map { ($0.key, $0.value) }) { $1 }
            for (hook, expected) in [(set, model.merging([field: value]) { $1 }), (drop, model)] {
                let text = await result([hook], json)
                let members = try JSONMembers(of: Array(text.utf8).span).all
                let found = Dictionary(
                    members.map { ($0.key, Int(String(decoding: Array(text.utf8)[$0.value], as: UTF8.self))) }
                ) { $1 }
                #expect(found == expected.mapValues { Int?.some($0) }, "\(json) \(field) \(value): \(text)")
                #expect(members.count { $0.key == field } == (expected[field] == nil ? 0 : 1))
            }
        }
    }
}
