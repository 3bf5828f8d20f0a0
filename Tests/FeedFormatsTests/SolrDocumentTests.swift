import ContentFeeding
import FeedFormats
import Testing

struct SolrDocumentTests {
    private func read(_ text: String, for kind: ContentOperation.Kind = .add, field: String? = nil) -> Reading {
        Reading(text, as: .solrXML(field: field), for: kind, piece: 11)
    }

    @Test func fieldsBecomeKeysAndRepeatedOnesArrays() {
        let reading = read(
            """
            <add>
              <doc>
                <field name="id">A</field>
                <field name="tag">x</field><field name="title">"T" &lt;1&gt;
            </field>
                <field name="tag">y</field><field name="e\u{301}"/>
              </doc>
              <doc><field name="\u{E9}">1</field><field name="id">B</field></doc>
            </add>
            """
        )
        #expect(
            reading.documents == [
                #"{"id":"A","tag":["x","y"],"title":"\"T\" <1>\n","e\#u{301}":""}"#,
                #"{"é":"1","id":"B"}"#,
            ]
        )
        #expect(reading.ids == ["A", "B"])
    }

    @Test func anotherFieldMayHoldTheID() {
        let reading = read("<add><doc><field name='url'>u</field></doc></add>", field: "url")
        #expect(reading.ids == ["u"])
    }

    @Test(arguments: [
        ("<doc/>", "no field 'id'"), ("<doc><field name='t'>x</field></doc>", "no field 'id'"),
        ("<doc><field name='id'/></doc>", "empty"),
        ("<doc><field name='id'>1</field><field name='id'>2</field></doc>", "2 values"),
        ("<doc><field>1</field></doc>", "without a name"), ("<doc boost='2'></doc>", "'boost' of <doc>"),
        ("<doc><field name='id' boost='2'>1</field></doc>", "'boost' of <field>"),
        ("<doc><field name='id'>1</field>text</doc>", "text between fields"),
        ("<doc><doc><field name='id'>1</field></doc></doc>", "a document in a document"),
        ("<doc><field name='id'>1</field><other/></doc>", "<other> in <doc>"),
        ("<doc><field name='id'>1</field><field name='n' update='set'>2</field></doc>", "'fastctl update'"),
        ("<doc>\n<field name='id'>1</fild></doc>", "in line 2 of it"), ("<id>1</id>", "<id> in <add>"),
    ])
    func whatIsNoDocumentStopsNoOther(element: String, reason: String) {
        let document = "<doc><field name='id'>B</field></doc>"
        let reading = read("<add>\n\(element)\n\(document)</add>")
        #expect(reading.ids == ["B"])
        #expect(reading.rejectedLines == [2])
        #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }

    @Test func anUpdateSetsFieldsAndTakesThemAway() {
        let fields = [
            "<field name='id'>1</field>", "<field name='a' update='set'>x</field>",
            "<field name='b' update='set' null='true'/>", "<field name='c'>y</field>",
        ]
        let reading = read("<add><doc>\(fields.joined())</doc></add>", for: .update)
        #expect(reading.documents == [#"{"id":"1","a":"x","b":null,"c":"y"}"#])
        #expect(reading.operations.first?.kind == .update)
        let other = read(
            "<add><doc><field name='id'>1</field><field name='n' update='inc'>1</field></doc></add>",
            for: .update
        )
        #expect(other.reasons.first?.hasPrefix("update=\"inc\" of a field") == true)
    }

    @Test func inAnUpdateMessageEachElementIsLookedAt() {
        let text = "<update><add><doc><field name='id'>1</field></doc></add>\n<delete><id>2</id></delete></update>"
        let added = read(text)
        #expect(added.ids == ["1"])
        #expect(added.reasons == ["an ID to remove: give it to 'fastctl remove'"])
        let removed = read(text, for: .remove)
        #expect(removed.ids == ["2"])
        #expect(removed.reasons == ["a document to add: give it to 'fastctl add'"])
    }

    @Test func aDocumentThatIsTooLongIsLeftOut() {
        var limits = InputLimits()
        limits.document = 50
        let text =
            "<add><doc><field name='id'>1</field><field name='t'>\(String(repeating: "x", count: 50))</field></doc></add>"
        let reading = Reading(Array(text.utf8), as: .solrXML(), for: .add, limits: limits)
        #expect(reading.reasons.first?.hasPrefix("longer than the 50 bytes") == true)
    }
}
