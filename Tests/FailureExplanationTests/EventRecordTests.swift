import Testing

@testable import FailureExplanation

/// Records of an error, in the forms in which people copy them.
struct EventRecordTests {
    @Test(
        arguments: [
            (
                "Log Name: Application\nSource:  Shop\nEvent ID:  17\nLevel:   Error\nDescription:\nThe wheel hums. More.",
                "Error", "Shop", "17", "The wheel hums"
            ),
            (
                "LevelDisplayName : Critical\nProviderName : Shop\nId : 17\nMessage : The wheel hums.",
                "Critical", "Shop", "17", "The wheel hums"
            ),
            ("<Event><Provider Name='Shop'/><Level>2</Level><Message>", "Error", "Shop", nil, nil),
            ("Ebene: Fehler\nQuelle: Laden\nEreignis-ID: 17", "Error", "Laden", "17", nil),
            ("Error\t3/11/2024 10:03:22 AM\tShop\t17\tWheels", "Error", "Shop", "17", nil),
            (
                #"{"level":"ERROR","logger":"com.shop.Wheel","message":"The wheel hums"}"#,
                "Error", "com.shop.Wheel", nil, "The wheel hums"
            ),
            (
                "2024-03-11 10:03:22.123 ERROR (qtp-12) [c:core] o.a.s.h.Wheel The wheel hums",
                "Error", "o.a.s.h.Wheel", nil, "The wheel hums"
            ),
            (
                "[2024-03-11T10:03:22,123][ERROR][o.e.b.Wheel ] [node-1] the wheel hums",
                "Error", "o.e.b.Wheel", nil, "the wheel hums"
            ),
        ] as [(String, String, String, String?, String?)]
    )
    func `A record of an error has a level, a source and a message`(
        text: String,
        level: String,
        source: String,
        number: String?,
        message: String?
    ) throws {
        let record = try #require(EventRecord(text))
        #expect(record.level == level && record.source == source)
        #expect(record.number == number && record.message == message)
    }

    @Test(arguments: [
        "", "Level: Information\nSource: Shop", "Level: Error", "ERROR: the wheel hums", "Severity: 2, Source: Shop",
        "Level 14, State 1, Source Shop", "The level: Error and the source: Shop are labels",
        "2024-03-11 INFO o.a.s.h.Wheel ERROR", "Error\tShop\t17",
    ])
    func `Other texts are not records of an error`(text: String) {
        #expect(EventRecord(text) == nil)
    }

    @Test func `Any beginning of a record is read without a crash`() {
        let text = Array("Level: Error\nSource: Sh\u{E4}op\nDescription:\nThe \u{201C}wheel\u{201D} hums.".utf8)
        for end in 0...text.count { _ = EventRecord(String(decoding: text[..<end], as: UTF8.self)) }
    }
}
