import ContentFeeding
import EngineHTTP
import JSONText
import Testing

@testable import EngineSolr

/// Schemas as parts of definitions, and the commands that change one schema to another.
struct SchemaDefinitionTests {
    private static let reply = """
        {"name":"default-config","version":1.7,"uniqueKey":"id","fieldTypes":[{"name":"string","class":"solr.StrField"},
        {"name":"old","class":"solr.TextField"}],"fields":[{"name":"_version_","type":"string"},
        {"name":"id","type":"string","required":true},{"name":"title","type":"old"},{"name":"gone","type":"old"}],
        "dynamicFields":[{"name":"*_s","type":"string"}],"copyFields":[{"source":"title","dest":"gone","maxChars":9},
        {"source":"*_s","dest":"title"}]}
        """

    private func json(_ text: String) throws -> JSONValue { try JSONValue(Array(text.utf8)) }

    private func commands(_ wanted: String) throws -> String? {
        let schema = SchemaDefinition(schema: try json(Self.reply))
        let body = SchemaDefinition(mappings: try json(wanted)).commands(for: schema)
        return body.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `The lists of a schema become objects by name`() throws {
        let schema = SchemaDefinition(schema: try json(Self.reply))
        var writer = JSONWriter()
        writer.value(schema.mappings)
        #expect(
            writer.text == """
                {"version":1.7,"uniqueKey":"id","fieldTypes":{"string":{"class":"solr.StrField"},\
                "old":{"class":"solr.TextField"}},"fields":{"_version_":{"type":"string"},\
                "id":{"type":"string","required":true},"title":{"type":"old"},"gone":{"type":"old"}},\
                "dynamicFields":{"*_s":{"type":"string"}},\
                "copyFields":{"*_s":{"title":{}},"title":{"gone":{"maxChars":9}}}}
                """
        )
        #expect(schema.commands(for: schema) == nil && schema.obstacle(to: schema) == nil)
    }

    @Test func `A whole schema also removes what it lacks, in an order in which nothing is in use`() throws {
        let wanted = """
            {"version":1.6,"uniqueKey":"id","fieldTypes":{"string":{"class":"solr.StrField"},"new":{"class":"solr.TextField"}},
            "fields":{"id":{"required":true,"type":"string"},"title":{"type":"new"},"more":{"type":"new"}},
            "copyFields":{"title":{"more":{}},"*_s":{"title":{"maxChars":5}}}}
            """
        #expect(
            try commands(wanted) == """
                {"delete-copy-field":[{"source":"*_s","dest":"title"},{"source":"title","dest":"gone"}],\
                "add-field-type":[{"name":"new","class":"solr.TextField"}],\
                "add-field":[{"name":"more","type":"new"}],"replace-field":[{"name":"title","type":"new"}],\
                "delete-dynamic-field":[{"name":"*_s"}],"delete-field":[{"name":"gone"}],\
                "delete-field-type":[{"name":"old"}],\
                "add-copy-field":[{"source":"*_s","dest":"title","maxChars":5},{"source":"title","dest":"more"}]}
                """
        )
    }

    @Test func `A translated schema only adds fields, and the field types that they need`() throws {
        let wanted = """
            {"fields":{"count":{"type":"plong"},"name":{"type":"string"},"own":{"type":"own"}},"copyFields":{"name":{"own":{}}}}
            """
        #expect(
            try commands(wanted) == """
                {"add-field-type":[{"name":"plong","class":"solr.LongPointField","docValues":true}],\
                "add-field":[{"name":"count","type":"plong"},{"name":"name","type":"string"},{"name":"own","type":"own"}],\
                "add-copy-field":[{"source":"name","dest":"own"}]}
                """
        )
        #expect(try commands(#"{"fields":{"title":{"type":"old"}}}"#) == nil)
    }

    @Test(arguments: [
        (#"{"uniqueKey":"url"}"#, "its uniqueKey is id, not url, and can't be changed"),
        (
            #"{"uniqueKey":"id","similarity":{"class":"S"}}"#,
            "its similarity is another one, not that of the definition"
        ),
    ])
    func `A value that Solr can't change is an obstacle`(wanted: String, words: String) throws {
        let schema = SchemaDefinition(schema: try json(Self.reply))
        let obstacle = SchemaDefinition(mappings: try json(wanted)).obstacle(to: schema)
        #expect(obstacle?.hasPrefix(words) == true, "\(obstacle ?? "none")")
    }

    @Test func `The reason of a failed command is reported, not only that there is one`() throws {
        let body = """
            {"responseHeader":{"status":400},"error":{"details":[{"add-field":{"name":"a"},
            "errorMessages":["Field 'a': Field type 'x' not found.\\n"]}],"msg":"error processing commands","code":400}}
            """
        let reply = ErrorReply(status: 400, body: Array(body.utf8))
        #expect(reply?.reason == "Field 'a': Field type 'x' not found.")
    }
}

/// Definitions that a cluster refuses because of missing rights.
@Suite(.timeLimit(.minutes(1)))
struct DefinitionRightsTests {
    private typealias Answer = SpeakingServer.Answer

    @Test(arguments: [("CREATE", 401, "config-edit"), ("LIST", 403, "config-read")])
    func `A refusal to use config sets names the right that is needed`(
        action: String,
        status: Int,
        right: String
    ) async throws {
        let success = #"{"responseHeader":{"status":0}"#
        let server = try SpeakingServer { target, _ in
            if target.hasPrefix("/admin/info/system") {
                return Answer(body: success + #","mode":"solrcloud","lucene":{"solr-spec-version":"9.0.0"}}"#)
            }
            if target.hasPrefix("/admin/configs"), target.contains("action=\(action)") {
                let error = #""error":{"msg":"unauthenticated request","code":\#(status)}"#
                return Answer(status: status, body: #"{"responseHeader":{"status":\#(status)},\#(error)}"#)
            }
            if target.hasPrefix("/admin/configs") { return Answer(body: success + #","configSets":["web"]}"#) }
            if target.hasPrefix("/admin/collections") { return Answer(body: success + #","collections":["c"]}"#) }
            return SpeakingServer.known(target, isThere: true)
        }
        let text =
            #"{"schema":"fastctl.collectionDefinition/1","engine":"solr","version":"9.1","name":"new","#
            + #""settings":{},"mappings":{},"aliases":{}}"#
        let definition = try CollectionDefinition(json: Array(text.utf8))
        let engine = try #require(try await server.open().defining)
        let error = await #expect(throws: EngineError.self) {
            try await engine.create("new", from: definition, moving: [])
        }
        #expect(error?.code == .permission && error?.message.contains("unauthenticated request") == true)
        #expect(error?.advice?.contains("the user needs the right '\(right)'") == true, "\(error?.advice ?? "")")
    }
}
