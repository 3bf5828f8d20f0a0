import JSONText

/// A document that is put together element by element, as FAST's `IDocument` is.
///
/// ```swift
/// var page = DocumentBuilder(id: "ID1")
/// try page.addElement(.newString("title", "The first page"))
/// try page.addElement(.newInteger("year", 2011))
/// try await feeder.addDocument(page.document)
/// ```
///
/// A type that is `Encodable` needs no builder: see ``Document/init(id:_:routing:)``.
public struct DocumentBuilder: Sendable {
    /// The document's ID.
    public let id: DocumentID
    /// The routing that places the document; `nil` if its ID does.
    public var routing: Routing?

    private var names: Set<String> = []
    /// The object so far, without its last bracket.
    private var json: [UInt8] = [UInt8(ascii: "{")]

    /// Begins a document without elements.
    public init(id: DocumentID, routing: Routing? = nil) { (self.id, self.routing) = (id, routing) }

    /// Adds an element.
    ///
    /// Throws if the document already has one of this name, as FAST does, or if it would be larger than
    /// ``Document/maximumByteCount``; the document then is as it was.
    public mutating func addElement(_ element: DocumentElement) throws(DocumentEncodingError) {
        guard !names.contains(element.name) else {
            throw DocumentEncodingError(
                .duplicateElement,
                "the document '\(id)' already has an element of this name",
                path: element.name
            )
        }
        var writer = JSONWriter()
        writer.value(element.name)
        let key = writer.takeBytes()
        // A comma, a colon, and the last bracket.
        try Document.check(byteCount: json.count + key.count + element.json.count + 3, path: element.name)
        if !names.isEmpty { json.append(UInt8(ascii: ",")) }
        names.insert(element.name)
        json += key
        json.append(UInt8(ascii: ":"))
        json += element.json
    }

    /// The document with the elements added so far.
    public var document: Document { Document(id: id, json: json + [UInt8(ascii: "}")], routing: routing) }
}

/// An element of a document: its name and its value.
public struct DocumentElement: Hashable, Sendable {
    /// The name: a field of the collection.
    public let name: String
    /// The value, as JSON.
    let json: [UInt8]

    /// Creates an element of any value that can be encoded: a number, a list, a struct, `nil`.
    public init(_ name: String, _ value: some Encodable) throws(DocumentEncodingError) {
        self.name = name
        json = try JSONNode(encoding: value).json
    }

    private init(_ name: String, writing value: some JSONWritable) {
        self.name = name
        var writer = JSONWriter()
        writer.value(value)
        json = writer.takeBytes()
    }

    /// Creates an element of text.
    public static func newString(_ name: String, _ value: String) -> Self { Self(name, writing: value) }

    /// Creates an element of a whole number.
    public static func newInteger(_ name: String, _ value: Int) -> Self { Self(name, writing: value) }

    /// Creates an element of a moment, written as engines expect it: in ISO 8601, in UTC, to the millisecond.
    ///
    /// With Foundation, the seconds are `date.timeIntervalSince1970`. `nil` if they are no date of the years 1 to 9999.
    public static func newDate(_ name: String, secondsSince1970 seconds: Double) -> Self? {
        UTCDate(secondsSince1970: seconds).map { Self(name, writing: $0.text) }
    }

    /// Creates an element of bytes, written in base64.
    public static func newByteArray(_ name: String, _ value: [UInt8]) -> Self {
        Self(name, writing: Base64.text(value))
    }
}

/// A moment in UTC, as the calendar has it.
private struct UTCDate {
    private let year, month, day, millisecond: Int

    private static let dayLength = 86_400_000

    /// Creates the moment; `nil` if it is not in the years 1 to 9999.
    init?(secondsSince1970 seconds: Double) {
        let milliseconds = (seconds * 1000).rounded()
        guard (-62_135_596_800_000..<253_402_300_800_000).contains(milliseconds) else { return nil }
        let count = Int(milliseconds)
        let dayNumber = (count >= 0 ? count : count - Self.dayLength + 1) / Self.dayLength
        millisecond = count - dayNumber * Self.dayLength
        // Days since 1 March of the year 0, in spans of 400 years: leap days come last in years that begin in March.
        let days = dayNumber + 719_468
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// The moment in ISO 8601: `2011-09-26T14:03:07.250Z`.
    var text: String {
        let (minutes, rest) = millisecond.quotientAndRemainder(dividingBy: 60_000)
        let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
        let time = "\(digits(minutes / 60, 2)):\(digits(minutes % 60, 2)):\(digits(rest / 1000, 2))"
        return "\(date)T\(time).\(digits(rest % 1000, 3))Z"
    }

    private func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
