import ContentFeeding
import DocumentSources
import Testing

@testable import Reconciliation

/// The conditions under which two documents count as the same.
struct VersionBasisTests {
    private static let plain = ContentFingerprint()

    private func content(_ json: String, id: DocumentID = "A") -> UInt64 {
        VersionBasis.content(ContentFingerprint(idKeys: ["id"])).digest.digest(of: Array(json.utf8).span, id: id.utf8)
    }

    private func key(_ json: String, _ fingerprint: ContentFingerprint = plain) -> UInt64 {
        VersionBasis.key("etag", fingerprint).digest.digest(of: Array(json.utf8).span, id: ("A" as DocumentID).utf8)
    }

    @Test(arguments: [
        (#"{"a":1,"b":[2,{"c":3,"d":4}]}"#, #"{ "b": [2, {"d": 4, "c": 3}], "a": 1 }"#),
        (#"{"a":10}"#, #"{"a":1e1}"#), (#"{"a":10.50}"#, #"{"a":1050E-2}"#), (#"{"a":0}"#, #"{"a":-0.0e7}"#),
        (#"{"a":123456789012345678901234567890}"#, #"{"a":12345678901234567890123456789.0e1}"#),
        (#"{"a":"é\n"}"#, #"{"a":"\u00e9\u000a"}"#), (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        (#"{"id":"A","t":1}"#, #"{"t":1}"#), ("{}", " {\n} "),
    ])
    func `The same content in different notations has the same version`(left: String, right: String) {
        #expect(content(left) == content(right))
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"a":"1"}"#), (#"{"a":1}"#, #"{"a":-1}"#),
        (#"{"a":1}"#, #"{"a":10}"#), (#"{"a":[1,2]}"#, #"{"a":[2,1]}"#), (#"{"a":[[1],2]}"#, #"{"a":[1,[2]]}"#),
        (#"{"a":null}"#, "{}"), (#"{"a":{}}"#, #"{"a":[]}"#), (#"{"a":true}"#, #"{"a":false}"#),
        (#"{"id":"B","t":1}"#, #"{"t":1}"#), (#"{"link":"A"}"#, "{}"), (#"{"x":{"id":"A"}}"#, #"{"x":{}}"#),
        (#"{"a":1e999999999999999999}"#, #"{"a":1e999999999999999998}"#), ("[1]", "[ 1]"),
        (#"{"a":"é"}"#, "{\"a\":\"e\u{301}\"}"),
    ])
    func `Different content has a different version`(left: String, right: String) {
        #expect(content(left) != content(right))
    }

    @Test func `A numeric ID is also ignored`() {
        #expect(content(#"{"id":7,"t":1}"#, id: "7") == content(#"{"t":1}"#, id: "7"))
    }

    @Test func `The value of a key can be a version if it is text, a number or a Boolean`() {
        #expect(key(#"{"etag":"\u0041B"}"#) == key(#"{"x":{"etag":1},"etag":"AB"}"#))
        #expect(key(#"{"etag":7}"#) == key(#"{"etag":"7"}"#))
        #expect(key(#"{"etag":"7"}"#) != key(#"{"etag":"8"}"#))
        for none in ["{}", #"{"etag":null}"#, #"{"etag":["7"]}"#, "[]", "no JSON", #"{"etag":"7","etag":{}}"#] {
            #expect(key(none) == 0)
        }
    }

    @Test func `The value of a key is compared by meaning, as the content is`() {
        #expect(key(#"{"etag":10}"#) == key(#"{"etag":1.0e1}"#))
        let times = [#"{"etag":"2026-11-29T12:00:00.000Z"}"#, #"{"etag":"2026-11-29T13:00+01:00"}"#]
        #expect(key(times[0]) == key(times[1]) && key(times[0]) != key(#"{"etag":"2026-11-29T12:00:01Z"}"#))
        var capabilities = EngineCapabilities()
        capabilities.keepsDocumentBytes = false
        let loose = ContentFingerprint(for: capabilities)
        #expect(key(#"{"etag":[5]}"#, loose) == key(#"{"etag":5}"#, loose))
        #expect(key(#"{"etag":["7"]}"#, loose) == key(#"{"etag":7}"#, loose))
        #expect(key(#"{"etag":[5]}"#, loose) != key(#"{"etag":6}"#, loose))
        #expect(key(#"{"etag":[5,6]}"#, loose) == 0 && key(#"{"etag":[]}"#, loose) == 0)
    }

    @Test func `An entry has the version of its document`() {
        var traits = SourceTraits()
        traits.versionKey = "etag"
        let entry = SourceEntry(id: "A", version: "x", json: Array(#"{"etag":"old","n":1}"#.utf8))
        #expect(VersionBasis.key("etag", Self.plain).digest(of: entry, traits) == key(#"{"etag":"x"}"#))
        #expect(VersionBasis.key("etag", Self.plain).contents(of: traits) == .versions)
        #expect(VersionBasis.key("n", Self.plain).digest(of: entry, traits) == key(#"{"etag":1}"#))
        #expect(VersionBasis.key("n", Self.plain).contents(of: traits) == .documents)
        #expect(VersionBasis.key("etag", Self.plain).digest(of: SourceEntry(id: "A"), traits) == 0)
        #expect(VersionBasis.id.digest(of: SourceEntry(id: "A"), traits) != 0)
        let timed = SourceEntry(id: "A", version: "2026-11-29T12:00:00Z")
        let time = key(#"{"etag":"2026-11-29T12:00:00.000Z"}"#)
        #expect(VersionBasis.key("etag", Self.plain).digest(of: timed, traits) == time)
    }

    @Test func `The default basis is one that both the source and the collection have`() {
        var traits = SourceTraits()
        let documents = [#"{"etag":"1"}"#, #"{"etag":"2"}"#].map { json in
            VersionedDocument(id: "A", version: .unknown, json: Array(json.utf8))
        }
        #expect(VersionBasis.usual(for: traits, and: documents, content: Self.plain) == .content(Self.plain))
        traits.versionKey = "etag"
        #expect(VersionBasis.usual(for: traits, and: documents, content: Self.plain) == .key("etag", Self.plain))
        traits.versionKey = "lastmod"
        #expect(VersionBasis.usual(for: traits, and: documents, content: Self.plain) == .content(Self.plain))
        traits.hasDocuments = false
        #expect(VersionBasis.usual(for: traits, and: documents, content: Self.plain) == .id)
    }
}
