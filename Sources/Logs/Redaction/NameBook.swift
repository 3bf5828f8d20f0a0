import TextKit

/// The names that were recognized by structure, so that they can be found wherever else they occur.
struct NameBook: Sendable {
    private struct Entry: Sendable {
        /// The name, with ASCII letters in lowercase.
        var bytes: [UInt8]
        var nameClass: NameClass
    }

    /// A detected name: its class, and its end.
    struct Match {
        var nameClass: NameClass
        var end: Int
        /// The entire name; the text may contain only its beginning.
        var name: [UInt8]
    }

    private var entries: [Entry] = []
    private var known: Set<[UInt8]> = []
    /// The entries by the digest of their first word, longest first, and by the digest of their first bytes.
    private var byFirstWord: [UInt64: [Int]] = [:]
    private var byBeginning: [UInt64: [Int]] = [:]
    /// A bit for each first word, so that most other words need no lookup.
    private var filter = [UInt64](repeating: 0, count: filterWords)

    private static let filterWords = 1024
    private static let maximumEntries = 50_000
    private static let maximumBytes = 128
    /// The maximum number of names with the same first word, because each occurrence of the word is compared with all
    /// of them.
    private static let maximumSiblings = 200
    /// The number of bytes that suffice to recognize a name at the end of a truncated text.
    static let beginning = 6

    var isEmpty: Bool { entries.isEmpty }

    /// Adds a name, unless it is a common word or too short to distinguish from one.
    mutating func learn(_ name: Span<UInt8>, as nameClass: NameClass) {
        guard (3...Self.maximumBytes).contains(name.count), entries.count < Self.maximumEntries else { return }
        let bytes = name.indices.map { name[$0].lowercased }
        guard bytes.first?.isWord ?? false, bytes.last?.isWord ?? false, bytes.contains(where: { !$0.isDigit }),
            !known.contains(bytes), !name.isGUID(name.indices)
        else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        guard !CommonWords.contains(text), !Pseudonyms.isPseudonym(text) else { return }
        known.insert(bytes)
        let number = entries.count
        entries.append(Entry(bytes: bytes, nameClass: nameClass))
        let wordEnd = bytes.firstIndex { !$0.isWord } ?? bytes.count
        let hash = Self.hash(bytes.span, 0..<wordEnd)
        filter[Int(truncatingIfNeeded: hash >> 6) & (Self.filterWords - 1)] |= 1 << (hash & 63)
        let others = byFirstWord[hash] ?? []
        guard others.count < Self.maximumSiblings else { return }
        let place = others.firstIndex { entries[$0].bytes.count < bytes.count } ?? others.count
        byFirstWord[hash, default: []].insert(number, at: place)
        guard bytes.count > Self.beginning else { return }
        let beginning = Self.hash(bytes.span, 0..<Self.beginning)
        if byBeginning[beginning, default: []].count < Self.maximumSiblings {
            byBeginning[beginning, default: []].append(number)
        }
    }

    /// Returns the longest name that begins with the word at `word` and ends at the end of a word.
    func match(in text: Span<UInt8>, word: Range<Int>, before limit: Int) -> Match? {
        let hash = Self.hash(text, word)
        guard filter[Int(truncatingIfNeeded: hash >> 6) & (Self.filterWords - 1)] & 1 << (hash & 63) != 0,
            let numbers = byFirstWord[hash]
        else { return nil }
        for number in numbers {
            let entry = entries[number]
            let end = word.lowerBound + entry.bytes.count
            guard end <= limit, end == limit || !text[end].isWord,
                Self.stands(entry.bytes, in: text, at: word.lowerBound)
            else { continue }
            return Match(nameClass: entry.nameClass, end: end, name: entry.bytes)
        }
        return nil
    }

    /// Returns the name whose beginning is at the end of a truncated text.
    func cutMatch(in text: Span<UInt8>, from start: Int, before limit: Int) -> Match? {
        guard limit - start >= Self.beginning else { return nil }
        for number in byBeginning[Self.hash(text, start..<start + Self.beginning)] ?? [] {
            let entry = entries[number]
            let count = limit - start
            guard count < entry.bytes.count, Self.stands(entry.bytes[..<count], in: text, at: start) else { continue }
            let beginning = String(decoding: entry.bytes[..<count], as: UTF8.self)
            guard !CommonWords.contains(beginning) else { continue }
            return Match(nameClass: entry.nameClass, end: limit, name: entry.bytes)
        }
        return nil
    }

    private static func stands(_ name: some Collection<UInt8>, in text: Span<UInt8>, at start: Int) -> Bool {
        var offset = start
        for byte in name {
            if text[offset].lowercased != byte { return false }
            offset += 1
        }
        return true
    }

    /// Returns the FNV-1a hash of the text with ASCII letters in lowercase.
    private static func hash(_ text: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in range { hash = (hash ^ UInt64(text[index].lowercased)) &* 0x100_0000_01b3 }
        return hash ^ hash >> 29
    }
}

/// Names of people, in sentences and fields, that consist of several words: `Anna Berger`, `Ludwig van Beethoven`.
enum PersonNames {
    /// Words that look like a person's name.
    struct Words {
        /// The end of the last word.
        var end: Int
        /// The number of names with an initial capital.
        var count = 0
        /// Whether the first word is common, whether any word is, and whether any word contains a digit.
        var beginsCommonly = false
        var hasCommon = false
        var hasDigit = false
        /// Whether any word has lowercase letters, because `SITE MASTER` is more likely a heading.
        var isMixed = false
    }

    /// The maximum number of words in a name.
    private static let most = 5

    /// Returns the words of a name that begin at `start`; `nil` if there are none.
    ///
    /// The words are capitalized, separated by single blanks, and may include particles such as `von` before other
    /// words. A word before an equals sign or colon is the name of the next field; a word that is joined to others,
    /// such as `Win32_Service`, does not count.
    static func words(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Words? {
        var words = Words(end: start)
        var offset = start
        while words.count < most, offset < limit {
            let end = wordEnd(text, offset, before: limit)
            guard end > offset, end == limit || !isJoined(text, end) else { break }
            let word = offset..<end
            if isCapitalised(text, word) {
                let isCommon = CommonWords.contains(text.string(word).lowercased())
                if words.count == 0 { words.beginsCommonly = isCommon }
                words.hasCommon = words.hasCommon || isCommon
                words.hasDigit = words.hasDigit || word.contains { text[$0].isDigit }
                words.isMixed = words.isMixed || word.contains { text[$0].isLowercase || text[$0] >= 0x80 }
                words.count += 1
                words.end = end
            } else if !particles.contains(text.string(word)) {
                break
            }
            guard text.byte(end) == 0x20 else { break }
            offset = end + 1
        }
        return words.count > 0 ? words : nil
    }

    /// Returns whether the entire range is a name of two or more words, none of them common.
    static func isName(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard let words = words(text, range.lowerBound, before: range.upperBound) else { return false }
        return words.end == range.upperBound && words.count > 1 && !words.hasCommon && words.isMixed && !words.hasDigit
    }

    /// Returns whether the byte after a word makes the word part of something else.
    private static func isJoined(_ text: Span<UInt8>, _ end: Int) -> Bool {
        switch Unicode.Scalar(text[end]) {
        case "=", ":", "_", "-", "\\", "/", "@", "(", "$", "%": true
        case ".": text.byte(end + 1).isWord
        default: false
        }
    }

    static func isCapitalised(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        guard !word.isEmpty else { return false }
        let first = text[word.lowerBound]
        return first.isUppercase || first >= 0x80
    }

    static func isParticle(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool { particles.contains(text.string(word)) }

    /// Returns the end of a word: letters, and the characters that join them, as in `O'Neil-Berger` and `J.`.
    private static func wordEnd(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Int {
        var end = start
        while end < limit {
            let byte = text[end]
            let joins = byte == UInt8(ascii: "'") || byte == UInt8(ascii: "-")
            guard byte.isWord || joins && end > start && end + 1 < limit && text[end + 1].isWord else { break }
            end += 1
        }
        // An initial, or `Dr.`; a period after a longer word ends a sentence.
        if end < limit, text[end] == UInt8(ascii: "."), (1...2).contains(end - start) { end += 1 }
        return end
    }

    private static let particles: Set<String> = [
        "von", "van", "vom", "zu", "zum", "zur", "de", "der", "den", "del", "della", "di", "da", "das", "do", "dos",
        "du", "la", "le", "el", "al", "bin", "ibn", "ten", "ter", "af", "av",
    ]
}

/// Names next to email addresses: `"Anna Berger" <a@b.com>`, `Anna Berger (a@b.com)`, and `=?utf-8?Q?Anna?= <a@b.com>`.
struct Mailboxes {
    struct Owner {
        var range: Range<Int>
        /// Whether the name is written without quotes or encoding.
        var isPlain: Bool
    }

    /// The owners, in the order of their positions.
    private(set) var owners: [Owner] = []

    /// The maximum number of bytes examined before an address, and in its first part.
    private static let reach = 160
    private static let longestLocalPart = 64

    /// Searches a text, which rarely contains an address.
    init(_ text: Span<UInt8>, _ range: Range<Int>) {
        var last = range.lowerBound
        // The first byte can only end a name.
        var place = range.lowerBound + 1
        while place < range.upperBound {
            if text[place] == UInt8(ascii: "@"), let owner = Self.owner(text, at: place, after: last) {
                last = owner.range.upperBound
                owners.append(owner)
            }
            place += 1
        }
    }

    private static func owner(_ text: Span<UInt8>, at place: Int, after first: Int) -> Owner? {
        var start = place
        while start > first, place - start < longestLocalPart, text[start - 1].isWord || text[start - 1].isJoint {
            start -= 1
        }
        guard start < place, text.byte(place + 1).isWord else { return nil }
        var end = start - 1
        let isAngle = text.byte(end) == UInt8(ascii: "<") || text.has("&lt;", at: start - 4)
        if text.has("&lt;", at: start - 4) { end = start - 4 }
        guard isAngle || "([".utf8.contains(text.byte(end)) else { return nil }
        while end > first, text[end - 1] == 0x20 { end -= 1 }
        let reached = max(first, end - reach)..<max(first, end)
        guard let last = reached.last else { return nil }
        if text[last].isQuote || text.has("&quot;", at: last - 5) { return quoted(text, reached) }
        if text[last] == UInt8(ascii: "="), text.byte(last - 1) == UInt8(ascii: "?") { return encoded(text, reached) }
        return plain(text, reached, isAngle: isAngle)
    }

    /// Returns a name in quotes, which may be escaped.
    private static func quoted(_ text: Span<UInt8>, _ range: Range<Int>) -> Owner? {
        // The length of a quote: `"`, `\"` or `&quot;`.
        let last = range.upperBound - 1
        let length = !text[last].isQuote ? 6 : text.byte(last - 1) == UInt8(ascii: "\\") ? 2 : 1
        let close = range.upperBound - length
        let open = (range.lowerBound..<max(range.lowerBound, close - length)).last { place in
            (0..<length).allSatisfy { text[place + $0] == text[close + $0] }
                && (length > 1 || text.byte(place - 1) != UInt8(ascii: "\\"))
        }
        guard let open, close > open + length else { return nil }
        let name = open + length..<close
        guard text[name.lowerBound].isWord, !name.contains(where: { "<>@=:".utf8.contains(text[$0]) }) else {
            return nil
        }
        let words = text.string(name).lowercased().split(separator: " ").map(String.init)
        return words.allSatisfy(CommonWords.contains) ? nil : Owner(range: name, isPlain: true)
    }

    /// Returns a name in the encoding of email headers.
    private static func encoded(_ text: Span<UInt8>, _ range: Range<Int>) -> Owner? {
        var start = range.upperBound
        for place in range.reversed() where text.has("=?", at: place) && text.byte(place + 2).isLetter {
            start = place
            // A long name consists of several encoded words.
            guard text.has("?= ", at: place - 3) else { break }
        }
        return start < range.upperBound ? Owner(range: start..<range.upperBound, isPlain: false) : nil
    }

    /// Returns a name in plain words: two or more, or a single word if a list of addresses begins or continues.
    private static func plain(_ text: Span<UInt8>, _ range: Range<Int>, isAngle: Bool) -> Owner? {
        var words: [Range<Int>] = []
        var end = range.upperBound
        while end > range.lowerBound, words.count < 6 {
            var start = end
            while start > range.lowerBound, text[start - 1].isWord || "'-.".utf8.contains(text[start - 1]) {
                start -= 1
            }
            let word = start..<end
            guard PersonNames.isCapitalised(text, word) || PersonNames.isParticle(text, word) else { break }
            words.insert(word, at: 0)
            guard start > range.lowerBound, text[start - 1] == 0x20 else { break }
            end = start - 1
            // `Berger, Anna`
            if words.count == 1, end > range.lowerBound, text[end - 1] == UInt8(ascii: ",") { end -= 1 }
        }
        // `User Anna Berger (a@b.com)`
        let named = words.firstIndex { word in
            !PersonNames.isParticle(text, word) && !CommonWords.contains(text.string(word).lowercased())
        }
        words.removeFirst(named ?? words.count)
        guard let first = words.first, let last = words.last else { return nil }
        // An address in parentheses may follow anything: `Sending Mail (smtp@host)`.
        if !isAngle, words.contains(where: { CommonWords.contains(text.string($0).lowercased()) }) { return nil }
        if words.count == 1 {
            var before = first.lowerBound
            while before > range.lowerBound, text[before - 1] == 0x20 { before -= 1 }
            guard isAngle, before == range.lowerBound || ":;,".utf8.contains(text[before - 1]) else { return nil }
        }
        return Owner(range: first.lowerBound..<last.upperBound, isPlain: true)
    }
}

/// Words that are not names in any structure, because masking them everywhere would make a report unreadable.
enum CommonWords {
    static func contains(_ word: String) -> Bool { words.contains(word) }

    private static let words = Set(
        """
        access account accounts activity address admin administration administrator administrators alert alerts all \
        analytics anonymous any api apis app apppool application applications apps area article asp assembly async \
        audit auth authentication author authority auto backup base batch bin build builtin business cache caller \
        catalog category central certificate change claim claims class client cloud cluster code collection com \
        command common company component config configuration connection connector contact content context control \
        controller copy core correlation count crawl crawler create current custom customer data database databases \
        date debug default delegate delete demo deploy deployment desktop dev developer development device digest \
        directory disk display distributed division document documents domain download drive edge edit editor email \
        employee empty end engine enterprise entry environment error errors event events everyone exception exchange \
        excel execute export external extranet failed failure false farm feature features feed field fields file files \
        filter finance folder forest form forms foundation full function gateway general global group groups guest \
        guests handler health help high history home host hosts html http https human identity iis image images import \
        index info information input install instance internal internet intranet invalid inventory item items job jobs \
        key language layouts legal level library license link list lists load local localhost location log logging \
        login logs low machine mail main management manager marketing master medium member members memory message \
        metadata method microsoft mobile mode model module monitor monitoring mysite mysites name names net network \
        new news none normal not notification null number object office officer online open operation operations \
        operator option order org organization other output owner owners page pages parent partner password path \
        people performance permission permissions person personal picker pipe plan point policy pool port portal post \
        power powershell process product production profile profiles program project projects property provider proxy \
        public publishing query queue read reader realm record records remote replica report reporting reports request \
        requests resource resources response rest restricted result results role root rule rules runtime sales sample \
        save scan schedule schema scope script search secret section secure security select self server servers \
        service services session sessions set settings setup shared sharepoint shell show sign site sites size smtp \
        software solution source staging standard start state statement status stop storage store string style sub \
        submit subscription success support sync system table tag target task tasks team teams temp template templates \
        tenant test testing tests text time timeout timer title token tokens tool tools topology trace tracing train \
        training transaction translation trust type unknown update upgrade upload url usage user users value values \
        version video view viewer virtual visitor visitors volume warning web webapp webapplication webpart webparts \
        websites website wiki window windows winword word words work worker workers workflow workflows world write \
        writer xml zone the and for with from this that was were are you your has have had will would can could may \
        must should does did done been being into onto over under than then when where which while who whom whose why \
        what how its his her their our out off too very via per yes nil true undefined unavailable required missing \
        found failed denied refused expired incorrect wrong
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )
}
