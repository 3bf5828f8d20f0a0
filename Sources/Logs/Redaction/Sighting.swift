/// Something in a text that structure gives away: what to keep of it, and what to mask.
struct Sighting {
    enum Part {
        /// Stays as it is.
        case keep(Range<Int>)
        /// Stays, but for names that are known.
        case words(Range<Int>)
        /// Is read as a text of its own.
        case text(Range<Int>)
        /// A text whose bytes were written in another way.
        case decoded([UInt8])
        /// Gets a pseudonym; a name that is learned is masked wherever else it stands.
        case name(NameClass, Range<Int>, isLearned: Bool = true)
        /// Is removed.
        case secret(Range<Int>)
        case query(Range<Int>)
    }

    /// The parts, from the first byte to the last, without gaps.
    var parts: [Part]
    var end: Int

    init(_ parts: [Part], end: Int) {
        self.parts = parts
        self.end = end
    }
}

/// Looks for what begins at a word of a text.
///
/// Each kind of name has its own file. The order matters: an address is also a word with a dot.
enum Sightings {
    /// Returns what begins at `start`, the first byte of a word, and ends before `limit`; `nil` if it is a plain word.
    ///
    /// In the name of a folder or file, nothing is a secret by its looks alone.
    static func atWord(_ text: Span<UInt8>, _ start: Int, before limit: Int, inFolder: Bool) -> Sighting? {
        let end = text.nameEnd(from: start, before: limit)
        let next = end < limit ? text[end] : 0
        switch next {
        case UInt8(ascii: ":"):
            if let found = WebAddresses.address(text, start..<end, before: limit) { return found }
            if let found = Accounts.claim(text, start, before: limit) { return found }
            if let found = FilePaths.drivePath(text, start..<end, before: limit) { return found }
            if let found = FilePaths.registryPath(text, start..<end, before: limit) { return found }
            if let found = NetworkNames.colonAddress(text, start, before: limit) { return found }
        case UInt8(ascii: "\\"):
            if let found = FilePaths.registryPath(text, start..<end, before: limit) { return found }
            if let found = Accounts.account(text, start..<end, before: limit) { return found }
        case UInt8(ascii: "@"):
            if let found = Accounts.mail(text, start..<end, before: limit) { return found }
        case UInt8(ascii: "#"), UInt8(ascii: "|"), UInt8(ascii: ")"), UInt8(ascii: "("), UInt8(ascii: "!"):
            if let found = Accounts.claim(text, start, before: limit) { return found }
        case UInt8(ascii: "%"):
            if let found = WebAddresses.escaped(text, start, before: limit) { return found }
        case UInt8(ascii: "?"):
            if let found = WebAddresses.query(after: start..<end, text, before: limit) { return found }
        default: break
        }
        let secret = inFolder ? Secrets.webToken : Secrets.token
        if let found = secret(text, start, limit) { return found }
        if let found = Fields.field(text, start..<end, before: limit) { return found }
        return NetworkNames.name(text, start..<end, before: limit)
    }

    /// Returns what begins at `start`, which is no word.
    static func atSign(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Sighting? {
        switch text[start] {
        case UInt8(ascii: "\\"): FilePaths.sharePath(text, start, before: limit)
        case UInt8(ascii: "/"): WebAddresses.relative(text, start, before: limit)
        case UInt8(ascii: "-"): Secrets.certificate(text, start, before: limit)
        case UInt8(ascii: "."): Accounts.localAccount(text, start, before: limit)
        case UInt8(ascii: ":"): NetworkNames.colonAddress(text, start, before: limit)
        default: nil
        }
    }
}
