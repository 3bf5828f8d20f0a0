import JSONText
import TestSupport
import Testing

@testable import ContentFeeding

/// The definition of a collection as one file.
struct CollectionDefinitionTests {
    private func definition(
        _ engine: CollectionDefinition.Engine = .openSearch,
        settings: String = "{}",
        mappings: String = "{}",
        aliases: String = "{}"
    ) throws -> CollectionDefinition {
        try CollectionDefinition(
            engine: engine,
            version: "2.19",
            name: "web",
            settings: JSONValue(Array(settings.utf8)),
            mappings: JSONValue(Array(mappings.utf8)),
            aliases: JSONValue(Array(aliases.utf8))
        )
    }

    private func file(_ members: String) -> [UInt8] {
        Array(#"{"schema":"fastctl.collectionDefinition/1","engine":"opensearch","name":"web"\#(members)}"#.utf8)
    }

    @Test func `The file has sorted keys, and keeps the form of the definition`() throws {
        let definition = try definition(
            settings: #"{"index":{"number_of_shards":"3","analysis":{"filter":{"s":{"stopwords":["b","a"]}}}}}"#,
            mappings: #"{"properties":{"title":{"type":"text","analyzer":"x"},"date":{"type":"date"}}}"#,
            aliases: #"{"b":{},"a":{"search_routing":"1","filter":{"term":{"x":1.0}},"index_routing":"1"}}"#
        )
        #expect(
            String(decoding: definition.json, as: UTF8.self) == """
                {
                  "schema": "fastctl.collectionDefinition/1",
                  "engine": "opensearch",
                  "version": "2.19",
                  "name": "web",
                  "settings": {
                    "index.analysis.filter.s.stopwords": [
                      "b",
                      "a"
                    ],
                    "index.number_of_shards": "3"
                  },
                  "mappings": {
                    "properties": {
                      "date": {
                        "type": "date"
                      },
                      "title": {
                        "analyzer": "x",
                        "type": "text"
                      }
                    }
                  },
                  "aliases": {
                    "a": {
                      "filter": {
                        "term": {
                          "x": 1.0
                        }
                      },
                      "index_routing": "1",
                      "search_routing": "1"
                    },
                    "b": {}
                  }
                }

                """
        )
    }

    @Test func `A definition that is written and read back is unchanged`() throws {
        var generator = SeededGenerator(seed: 47)
        for _ in 0..<200 {
            let value = Self.randomObject(depth: 4, &generator)
            let first = try CollectionDefinition(
                engine: .elasticsearch,
                version: nil,
                name: "web",
                settings: value,
                mappings: value,
                aliases: .object([JSONValue.Member(key: "a", value: value)])
            )
            let second = try CollectionDefinition(json: first.json)
            #expect(first == second && first.json == second.json)
            #expect(first.differences(to: second).isEmpty)
        }
    }

    private static func randomObject(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        let keys = ["a", "b.c", "é", "\u{1F600}", "z\""].shuffled(using: &generator)
        let count = Int.random(in: 0...keys.count, using: &generator)
        return .object(keys.prefix(count).map { JSONValue.Member(key: $0, value: randomValue(depth, &generator)) })
    }

    private static func randomValue(_ depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: depth > 0 ? 0...5 : 2...5, using: &generator) {
        case 0: randomObject(depth: depth - 1, &generator)
        case 1: .array([randomValue(0, &generator), randomValue(0, &generator)])
        case 2: .number(["1", "-0", "1.50", "1e400"].randomElement(using: &generator) ?? "0")
        case 3: .bool(Bool.random(using: &generator))
        case 4: .null
        default: .string(["", "x", "\u{202E}\n\\"].randomElement(using: &generator) ?? "")
        }
    }

    @Test(arguments: [
        "uuid", "creation_date", "creation_date_string", "provided_name", "version.created", "version.upgraded",
        "resize.source.name", "history_uuid", "blocks.read_only_allow_delete", "remote_store.enabled",
    ])
    func `A setting that the engine assigns never appears in a definition`(name: String) throws {
        let nested = name.split(separator: ".").reversed().reduce(#""1""#) { #"{"\#($1)":\#($0)}"# }
        let plain = try definition()
        for settings in [#"{"index.\#(name)":"1"}"#, #"{"\#(name)":"1"}"#, nested, #"{"index":\#(nested)}"#] {
            #expect(try definition(settings: settings) == plain, "\(settings)")
            #expect(try CollectionDefinition(json: file(#","version":"2.19","settings":\#(settings)"#)) == plain)
        }
        for chosen in [#"{"index.blocks.write":"true"}"#, #"{"index.replication.type":"SEGMENT"}"#] {
            #expect(try definition(settings: chosen) != plain)
        }
        for usual in [
            #"{"replication.type":"DOCUMENT"}"#, #"{"routing.allocation.include._tier_preference":"data_content"}"#,
        ] {
            #expect(try definition(settings: usual) == plain)
        }
    }

    @Test func `Settings in different notations are equal`() throws {
        let plain = try definition(settings: #"{"index.number_of_shards":"3","index.hidden":"true"}"#)
        #expect(try definition(settings: #"{"index":{"hidden":true,"number_of_shards":3}}"#) == plain)
        #expect(try definition(settings: #"{"number_of_shards":3,"hidden":true,"refresh_interval":null}"#) == plain)
        let routed = try definition(aliases: #"{"a":{"index_routing":"7","search_routing":"7"}}"#)
        #expect(try definition(aliases: #"{"a":{"routing":"7"}}"#) == routed)
    }

    @Test func `Settings that only one engine supports are omitted for the other`() throws {
        let definition = try definition(settings: #"{"index.knn":"true","index.number_of_shards":"1"}"#)
        #expect(definition.adapted(to: .openSearch).losses.isEmpty)
        let (adapted, losses) = definition.adapted(to: .elasticsearch)
        #expect(losses.map(\.place) == ["index.knn"])
        #expect(losses.map(\.reason) == ["only opensearch supports this setting"])
        #expect(adapted.engine == .elasticsearch && adapted.version == nil)
        #expect(adapted.differences(to: definition).map(\.place) == ["index.knn"])
    }

    @Test func `Differences are listed by their paths`() throws {
        let first = try definition(
            settings: #"{"index.number_of_replicas":"0"}"#,
            mappings:
                #"{"properties":{"a":{"type":"text"},"b":{"type":"date"},"o":{"properties":{"x":{"type":"long"}}}}}"#,
            aliases: #"{"all":{},"de":{"filter":{"term":{"l":"de"}}}}"#
        )
        let second = try definition(
            .elasticsearch,
            settings: #"{"index.number_of_replicas":"1"}"#,
            mappings: #"{"properties":{"a":{"type":"keyword"},"c":{},"o":{"properties":{"x":{"type":"long"}}}}}"#,
            aliases: #"{"all":{"is_write_index":true},"de":{"filter":{"term":{"l":"fr"}}}}"#
        )
        let differences = first.differences(to: second)
        #expect(
            differences.map { "\($0.part) \($0.place)" } == [
                "settings index.number_of_replicas", "mappings properties.a.type", "mappings properties.b",
                "mappings properties.c", "aliases all.is_write_index", "aliases de.filter.term.l",
            ]
        )
        #expect(differences.map { $0.first == nil } == [false, false, false, true, true, false])
        #expect(differences.map { $0.second == nil } == [false, false, true, false, false, false])
        #expect(second.differences(to: first).map(\.path) == differences.map(\.path))
        #expect(first.differences(to: first).isEmpty)
    }

    @Test func `An existing collection conflicts only in values that the definition specifies`() throws {
        let wanted = try definition(
            settings: #"{"number_of_shards":"1"}"#,
            mappings: #"{"properties":{"a":{"type":"text"}}}"#
        )
        let templated = try definition(
            settings: #"{"number_of_shards":"1","refresh_interval":"5s"}"#,
            mappings: #"{"dynamic":"strict","properties":{"a":{"type":"text","store":true},"b":{"type":"long"}}}"#,
            aliases: #"{"all":{}}"#
        )
        #expect(wanted.differences(to: templated).count == 5 && wanted.conflicts(with: templated).isEmpty)
        #expect(
            templated.conflicts(with: wanted).map(\.place) == [
                "index.refresh_interval", "dynamic", "properties.a.store", "properties.b", "all",
            ]
        )
    }

    @Test(arguments: [
        ("[]", "no member \"schema\""), ("{", "not valid JSON"), ("{}", "no member \"schema\""),
        (#"{"schema":"fastctl.plan/1"}"#, "'fastctl.plan/1'"),
        (
            #"{"schema":"fastctl.collectionDefinition/1","engine":"lucene","name":"web"}"#,
            "opensearch, elasticsearch, solr, embedded"
        ),
        (#"{"schema":"fastctl.collectionDefinition/1","engine":"opensearch","name":""}"#, "\"name\""),
    ])
    func `The error for an invalid file names its defect`(text: String, words: String) {
        let error = #expect(throws: CollectionDefinitionError.self) {
            _ = try CollectionDefinition(json: Array(text.utf8))
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        (#","mapping":{}"#, "unknown member \"mapping\""),
        (#","settings":{},"settings":{}"#, "\"settings\" occurs twice"),
        (#","settings":[]"#, "\"settings\" is not an object"), (#","mappings":"x""#, "\"mappings\" is not an object"),
        (#","mappings":{"properties":{"a":1,"a":2}}"#, "\"mappings.properties.a\" occurs twice"),
        (#","settings":{"hidden":true,"index.hidden":true}"#, "\"settings.index.hidden\" occurs twice"),
        (#","aliases":{"a":true}"#, "the alias \"a\" is not an object"),
        (",\"mappings\":" + String(repeating: "[", count: 100), "not valid JSON"),
    ])
    func `The error for an invalid part names its defect`(members: String, words: String) {
        let error = #expect(throws: CollectionDefinitionError.self) {
            _ = try CollectionDefinition(json: file(members))
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `A file above the limit is not read`() {
        let bytes = file("") + Array(repeating: 0x20, count: CollectionDefinition.maximumByteCount)
        let error = #expect(throws: CollectionDefinitionError.self) { _ = try CollectionDefinition(json: bytes) }
        #expect(error?.description.contains("larger than") == true)
    }

    @Test func `Aliases are removed by name`() throws {
        let definition = try definition(aliases: #"{"a":{},"b":{"is_write_index":true}}"#)
        #expect(definition.removingAliases { $0 == "a" }.aliasNames == ["b"])
        #expect(definition.removingAliases { _ in true } == (try self.definition()))
    }
}
