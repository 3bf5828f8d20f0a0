/// What stands in `<?xml … ?>`, if that is there.
struct XMLDeclaration {
    /// The longest declaration, in characters; real ones have 40.
    private static let maximumLength = 512

    let encoding: String?

    /// Reads the declaration that the units begin with.
    ///
    /// It is read before libxml2 runs, because libxml2 knows encodings in which markup cannot be recognised here.
    init(_ units: CodeUnits) throws(XMLError) {
        let (end, step) = (min(units.end, units.start + Self.maximumLength * units.step), units.step)
        guard units.has("<?xml", at: units.start), units.start + 5 * step < end,
            XMLSyntax.isSpace(units[units.start + 5 * step])
        else {
            encoding = nil
            return
        }
        var scanner = AttributeScanner(units, from: units.start + 5 * step, to: end)
        var encoding: String?
        while let attribute = scanner.next() {
            if units.text(attribute.name) == "encoding" { encoding = units.text(attribute.value) }
        }
        guard units.has("?>", at: scanner.offset) else {
            throw XMLError(code: .malformed, message: "the XML declaration is not understood", line: 1)
        }
        self.encoding = encoding
    }
}
