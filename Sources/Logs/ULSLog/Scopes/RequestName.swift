/// The name of a request or a timer job, as `xmnv` rows of "Logging Correlation Data" say it.
enum RequestName {
    /// Where the name stands in `Name=Request (GET:http://…)` or `Name=Timer Job x`; nil for any other message.
    static func parse(_ message: Span<UInt8>) -> Range<Int>? {
        guard let value = CorrelationValue.parse(message, key: "name=") else { return nil }
        return isRequest(message.extracting(value)) ? value : nil
    }

    /// Whether a scope of this name is a whole request or a timer job, and no part of one.
    static func isRequest(_ name: Span<UInt8>) -> Bool {
        name.reads("request (", at: 0) || name.reads("timer job ", at: 0)
    }
}

/// The site that a request is about, as `xmnv` rows say it.
enum RequestSite {
    /// Where the path stands in `Site=/sites/a`; nil for any other message.
    static func parse(_ message: Span<UInt8>) -> Range<Int>? {
        guard let value = CorrelationValue.parse(message, key: "site=") else { return nil }
        return message[value.lowerBound] == UInt8(ascii: "/") ? value : nil
    }
}

/// A fact about a correlation: `Key=Value` and nothing else.
private enum CorrelationValue {
    static func parse(_ message: Span<UInt8>, key: String) -> Range<Int>? {
        var start = message.skippingBlanks(from: 0)
        if let mark = ForcedRowMark.parse(message, from: start) { start = mark.end }
        guard message.reads(key, at: start) else { return nil }
        start = message.skippingBlanks(from: start + key.utf8.count)
        let end = message.endWithoutBlanks(from: start)
        return start < end ? start..<end : nil
    }
}
