import ContentFeeding
import JSONText
import Testing

/// Definitions translated for another kind of engine.
struct DefinitionTranslationTests {
    private func definition(
        _ engine: CollectionDefinition.Engine,
        settings: String = "{}",
        mappings: String = "{}",
        aliases: String = "{}"
    ) throws -> CollectionDefinition {
        let text = """
            {"schema":"fastctl.collectionDefinition/1","engine":"\(engine.rawValue)","version":"9.1","name":"web",
            "settings":\(settings),"mappings":\(mappings),"aliases":\(aliases)}
            """
        return try CollectionDefinition(json: Array(text.utf8))
    }

    private func text(_ definition: CollectionDefinition, _ part: CollectionDefinition.Part) -> String {
        var writer = JSONWriter()
        writer.value(definition[part])
        return writer.text
    }

    @Test(arguments: [
        ("text", "text_general"), ("keyword", "string"), ("boolean", "boolean"), ("integer", "pint"), ("short", "pint"),
        ("long", "plong"), ("float", "pfloat"), ("double", "pdouble"), ("date", "pdate"),
    ])
    func `A common type has a counterpart in Solr`(type: String, solrType: String) throws {
        for engine in [CollectionDefinition.Engine.openSearch, .elasticsearch] {
            let index = try definition(engine, mappings: #"{"properties":{"a":{"type":"\#(type)"}}}"#)
            let (adapted, losses) = index.adapted(to: .solr)
            #expect(text(adapted, .mappings) == #"{"fields":{"a":{"multiValued":true,"type":"\#(solrType)"}}}"#)
            #expect(losses.isEmpty && adapted.engine == .solr && adapted.version == nil)
        }
    }

    @Test(arguments: [
        ("solr.StrField", "keyword"), ("solr.TextField", "text"), ("org.apache.solr.schema.BoolField", "boolean"),
        ("solr.IntPointField", "integer"), ("solr.TrieLongField", "long"), ("solr.FloatPointField", "float"),
        ("solr.DoublePointField", "double"), ("solr.DatePointField", "date"),
    ])
    func `A common field type of Solr has a counterpart in an index`(name: String, type: String) throws {
        let schema = """
            {"uniqueKey":"id","version":1.7,"fieldTypes":{"t":{"class":"\(name)"}},"fields":{"a":{"type":"t","stored":true},
            "id":{"type":"t"},"_version_":{"type":"t"}},"dynamicFields":{"*_x":{"type":"t"}}}
            """
        let (adapted, losses) = try definition(.solr, mappings: schema).adapted(to: .openSearch)
        #expect(
            text(adapted, .mappings) == """
                {"dynamic_templates":[{"*_x":{"mapping":{"type":"\(type)"},"match":"*_x"}}],\
                "properties":{"a":{"type":"\(type)"}}}
                """
        )
        #expect(losses.isEmpty && adapted.engine == .openSearch)
    }

    @Test func `Everything in an index that Solr lacks is listed with the reason`() throws {
        let index = try definition(
            .elasticsearch,
            settings: """
                {"number_of_shards":2,"number_of_replicas":1,"refresh_interval":"5s","analysis":{"analyzer":{"a":
                {"type":"standard"}}}}
                """,
            mappings: """
                {"dynamic":"strict","properties":{"all":{"type":"text"},"id":{"type":"keyword"},"_x_":{"type":"long"},
                "place":{"type":"geo_point"},"part":{"type":"nested"},"o":{"properties":{"x":{"type":"long"}}},
                "title":{"type":"text","analyzer":"a","copy_to":"all","fields":{"raw":{"type":"keyword"}},"index":false},
                "day":{"type":"date","format":"yyyy","doc_values":false,"copy_to":["all","place"]}}}
                """,
            aliases: #"{"a":{},"de":{"filter":{"term":{"l":"de"}}},"w":{"is_write_index":true}}"#
        )
        let (adapted, losses) = index.adapted(to: .solr)
        #expect(text(adapted, .settings) == #"{"numShards":"2","replicationFactor":"2"}"#)
        #expect(
            text(adapted, .mappings) == """
                {"copyFields":{"title":{"all":{}}},"fields":{"all":{"multiValued":true,"type":"text_general"},\
                "day":{"docValues":false,"multiValued":true,"type":"pdate"},\
                "title":{"indexed":false,"multiValued":true,"type":"text_general"}}}
                """
        )
        #expect(text(adapted, .aliases) == #"{"a":{},"w":{}}"#)
        #expect(
            losses.map { "\($0.part) \($0.place): \($0.reason)" } == [
                "settings index.analysis.analyzer.a.type: analyzers are not translated",
                "settings index.refresh_interval: Solr has no such setting",
                "mappings dynamic: Solr has no counterpart",
                "mappings properties._x_: Solr uses this name for its own field",
                "mappings properties.day.copy_to: a field that it names could not be carried over",
                "mappings properties.day.format: dates in Solr have one format, such as 2026-11-29T12:00:00Z: "
                    + "convert the values before they are fed",
                "mappings properties.id: Solr uses this name for its own field",
                "mappings properties.o: Solr has no fields inside objects",
                "mappings properties.part: Solr has no fields inside objects",
                "mappings properties.place: no type of Solr corresponds to 'geo_point'",
                "mappings properties.title.analyzer: analyzers are not translated",
                "mappings properties.title.fields: a field in Solr has no subfields",
                "aliases de: an alias in Solr has no filter",
                "aliases w.is_write_index: an alias in Solr has no such property",
            ]
        )
        let core = index.adapted(to: .solr, isCluster: false)
        #expect(text(core.definition, .settings) == "{}" && text(core.definition, .aliases) == "{}")
        #expect(core.losses.count == losses.count - 1 + 4, "\(core.losses)")
    }

    /// A source is often frozen before it is copied, and the collection must be filled.
    @Test(arguments: [CollectionDefinition.Engine.openSearch, .elasticsearch])
    func `A block is not carried over, even to the same kind of engine`(engine: CollectionDefinition.Engine) throws {
        let index = try definition(
            engine,
            settings: #"{"blocks":{"write":true,"read_only":"false"},"default_pipeline":"p","final_pipeline":"_none"}"#
        )
        for other in [CollectionDefinition.Engine.openSearch, .elasticsearch] {
            let (adapted, losses) = index.adapted(to: other)
            #expect(
                losses.map { "\($0.place): \($0.reason)" } == [
                    "index.blocks.write: a block would refuse documents; set it once the collection is filled"
                ]
            )
            let kept = """
                {"index.blocks.read_only":"false","index.default_pipeline":"p","index.final_pipeline":"_none"}
                """
            #expect(text(adapted, .settings) == kept)
            #expect(adapted.pipelines == ["index.default_pipeline": "p"])
        }
    }

    @Test func `Everything in Solr that an index lacks is listed with the reason`() throws {
        let solr = try definition(
            .solr,
            settings: #"{"numShards":"3","replicationFactor":"2","tlogReplicas":"1"}"#,
            mappings: """
                {"uniqueKey":"key","similarity":{"class":"S"},"fieldTypes":{"t":{"class":"solr.TextField","analyzer":{}},
                "s":{"class":"solr.StrField","docValues":false},"p":{"class":"solr.LatLonPointSpatialField"},
                "unused":{"class":"solr.CollationField"}},"fields":{"key":{"type":"s"},"all":{"type":"t","stored":false},
                "name":{"type":"s","indexed":false,"required":true},"place":{"type":"p"},"lost":{"type":"none"}},
                "dynamicFields":{"*_p":{"type":"p"},"*_s":{"type":"s"},"*_long_s":{"type":"s"}},
                "copyFields":{"name":{"all":{}},"*_s":{"all":{}},"all":{"name":{"maxChars":9}}}}
                """,
            aliases: #"{"a":{},"routed":{"properties":{"router.name":"time"}}}"#
        )
        let (adapted, losses) = solr.adapted(to: .elasticsearch)
        #expect(
            text(adapted, .settings) == #"{"index.number_of_replicas":"1","index.number_of_shards":"3"}"#
                && text(adapted, .aliases) == #"{"a":{}}"#
        )
        #expect(
            text(adapted, .mappings) == """
                {"dynamic_templates":[\
                {"*_long_s":{"mapping":{"doc_values":false,"type":"keyword"},"match":"*_long_s"}},\
                {"*_s":{"mapping":{"doc_values":false,"type":"keyword"},"match":"*_s"}}],\
                "properties":{"all":{"type":"text"},\
                "name":{"copy_to":["all"],"doc_values":false,"index":false,"type":"keyword"}}}
                """
        )
        #expect(
            losses.map { "\($0.part) \($0.place): \($0.reason)" } == [
                "settings tlogReplicas: only Solr has this setting",
                "mappings copyFields.*_s.all: only fields that were both carried over can be copied",
                "mappings copyFields.all.name: a copy is never shortened",
                "mappings dynamicFields.*_p: no type of elasticsearch corresponds to LatLonPointSpatialField",
                "mappings fieldTypes.t.analyzer: analyzers are not translated",
                "mappings fields.all.stored: documents are always kept whole",
                "mappings fields.lost: the definition has no field type 'none'",
                "mappings fields.name.required: a property has no such parameter",
                "mappings fields.place: no type of elasticsearch corresponds to LatLonPointSpatialField",
                "mappings similarity: elasticsearch has no counterpart",
                "aliases routed: only an alias in Solr has properties",
            ]
        )
    }

    @Test func `The embedded index keeps values as fed, so nothing is carried over to it`() throws {
        let index = try definition(
            .openSearch,
            settings: #"{"number_of_shards":1}"#,
            mappings: #"{"dynamic":true,"properties":{"a":{"type":"text"},"b":{"type":"date"}}}"#,
            aliases: #"{"all":{}}"#
        )
        let (adapted, losses) = index.adapted(to: .embedded, isCluster: false)
        #expect(CollectionDefinition.Part.allCases.allSatisfy { text(adapted, $0) == "{}" })
        let places = ["index.number_of_shards", "dynamic", "properties.a", "properties.b", "all"]
        #expect(losses.map(\.place) == places)
        let embedded = try definition(.embedded, settings: #"{"tokenizer":"unicode61"}"#)
        #expect(embedded.adapted(to: .embedded, isCluster: false).definition == embedded)
        for engine in [CollectionDefinition.Engine.solr, .openSearch] {
            let (other, lost) = embedded.adapted(to: engine)
            #expect(text(other, .settings) == "{}" && lost.map(\.place) == ["tokenizer"])
        }
    }

    @Test func `A comparison of kinds lists values that can't be translated as missing`() throws {
        let index = try definition(
            .openSearch,
            mappings: #"{"properties":{"a":{"type":"long"},"b":{"type":"ip"},"c":{"type":"text"}}}"#
        )
        let solr = try definition(
            .solr,
            mappings: """
                {"uniqueKey":"id","fields":{"a":{"type":"pint","multiValued":true},
                "c":{"type":"text_general","multiValued":true},"id":{"type":"string"}}}
                """
        )
        let differences = index.differences(to: solr)
        #expect(differences.map(\.place) == ["properties.b", "fields.a.type", "fields.id", "uniqueKey"])
        #expect(index.conflicts(with: solr).map(\.place) == ["properties.b", "fields.a.type"])
        #expect(index.isTranslated(for: .solr) && !index.isTranslated(for: .elasticsearch))
    }
}
