import TextKit
import ULSRows

/// Signs that a paragraph without columns is from a log: a time or process ID in the service's format, an exception, a
/// code, a frame of a stack trace, or words of failure.
///
/// Without any of these signs, the paragraph may be a letter, a list, or the log of another program.
enum MessageSigns {
    /// Returns whether a paragraph has one of the signs.
    ///
    /// Words in paths, addresses and queries do not count, because a request's target is not evidence of its result;
    /// nor do words of failure that are counted as zero.
    static func occur(in paragraph: [UInt8]) -> Bool {
        guard !IISLog.begins(paragraph) else { return false }
        let paragraph = OutcomeCounts(paragraph).blanked(paragraph)
        if beginsWithTime(paragraph) || HealthEvent.begins(paragraph) { return true }
        var start = 0
        /// The number of upcoming words that may still name the missing object.
        var reach = 0
        var before: [UInt8] = []
        /// Whether the name of a parameter precedes, as in `-Level Error`.
        var isArgument = false
        while start < paragraph.count {
            let isSeparator = { (byte: UInt8) in byte <= 0x20 }
            guard let first = paragraph[start...].firstIndex(where: { !isSeparator($0) }) else { return false }
            let end = paragraph[first...].firstIndex(where: isSeparator) ?? paragraph.count
            if !isArgument, isSign(paragraph[first..<end]) { return true }
            isArgument = paragraph[first] == UInt8(ascii: "-") && paragraph[(first + 1)..<end].first?.isLetter == true
            let word = paragraph[first..<min(end, first + longestWord)].map(\.lowercased).filter(\.isLowercase)
            if isPair(before, word) || isFrame(behind: before, paragraph[first..<end]) { return true }
            reach = before == not && have.contains(word) ? longestReach : max(0, reach - 1)
            if reach > 0, rights.contains(where: { word.starts(with: $0) }) { return true }
            if sentenceEnds.contains(paragraph[end - 1]) { reach = 0 }
            before = word
            // `Verbose<tab>Getting …`: a level and a message.
            if first == 0, end < paragraph.count, paragraph[end] == 0x09, isLevel(paragraph[..<end]) { return true }
            start = end
        }
        return false
    }

    /// Returns whether a paragraph begins with a date and time in the service's format: `09/26/2011 10:39`.
    private static func beginsWithTime(_ paragraph: [UInt8]) -> Bool {
        let parts = paragraph.prefix(32).split(whereSeparator: { $0 <= 0x20 }).prefix(2).map { Array($0) }
        guard parts.count == 2 else { return false }
        let date = parts[0].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard date.map(\.count) == [2, 2, 4] || date.map(\.count) == [1, 2, 4] || date.map(\.count) == [2, 1, 4] else {
            return false
        }
        return date.allSatisfy { $0.allSatisfy(\.isDigit) } && parts[1].prefix(1).allSatisfy(\.isDigit)
            && parts[1].prefix(3).contains(UInt8(ascii: ":"))
    }

    private static func isSign(_ token: ArraySlice<UInt8>) -> Bool {
        // A process ID, `(0x1790)`.
        if token.count > 4, Array(token.prefix(3)) == Array("(0x".utf8), token.last == UInt8(ascii: ")"),
            token.dropFirst(3).dropLast().allSatisfy(\.isHexadecimal)
        {
            return true
        }
        // SharePoint's native code marks its numbers this way.
        if token.firstRange(of: nativeMark) != nil { return true }
        guard !token.contains(where: { pathBytes.contains($0) }) else { return false }
        return token.split { !$0.isHexadecimal && !$0.lowercased.isLowercase && $0 != UInt8(ascii: "_") }
            .contains { word in
                let word = word.map(\.lowercased)
                return words.contains(word) || word.count > exception.count && word.suffix(exception.count) == exception
                    || isCode(word)
            }
    }

    /// Returns whether two words report a failure: `could not`, `not found`, `doesn't exist`.
    private static func isPair(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        if second == not { return helpers.contains(first) }
        if contractions.contains(second) { return true }
        guard first == not || negated.contains(first) else { return false }
        return missing.contains { second.starts(with: $0) }
    }

    /// Returns whether the text here is `at Namespace.Type.Method(`.
    private static func isFrame(behind word: [UInt8], _ token: ArraySlice<UInt8>) -> Bool {
        guard word == at, let open = token.firstIndex(of: UInt8(ascii: "(")) else { return false }
        let name = token[..<open]
        return name.count { $0 == UInt8(ascii: ".") } >= 2 && !name.contains { pathBytes.contains($0) }
    }

    private static func isLevel(_ word: ArraySlice<UInt8>) -> Bool {
        ULSLevel(String(decoding: word, as: UTF8.self)).isKnown
    }

    /// Returns whether a word is a failure HRESULT, such as `800703fa`, with or without `0x`.
    private static func isCode(_ word: [UInt8]) -> Bool {
        let digits = word.hasPrefix([0x30, UInt8(ascii: "x")]) ? word.dropFirst(2) : word[...]
        guard digits.count == 8, digits.allSatisfy(\.isHexadecimal) else { return false }
        return digits.count < word.count || digits.first == UInt8(ascii: "8")
    }

    /// The length of the longest word that is searched for in pairs, including punctuation that may follow it.
    private static let longestWord = 16
    private static let at = Array("at".utf8)
    private static let not = Array("not".utf8)
    private static let helpers: Set<[UInt8]> = [Array("could".utf8), Array("can".utf8)]
    /// `couldn't` and `can't`, without the apostrophe.
    private static let contractions: Set<[UInt8]> = [Array("couldnt".utf8), Array("cant".utf8)]
    private static let negated = Set(
        ["doesnt", "dont", "didnt", "isnt", "wasnt", "arent", "werent", "hasnt", "havent"].map { Array($0.utf8) }
    )
    private static let missing = [
        "found", "exist", "consistent", "available", "operational", "responding", "installed", "configured", "started",
        "set", "allowed", "permitted", "authorized", "granted", "accessible", "reachable", "supported", "recognized",
        "registered", "valid",
    ].map { Array($0.utf8) }
    private static let have = Set(["have", "has"].map { Array($0.utf8) })
    private static let sentenceEnds = Set(".!?".utf8)
    private static let rights = ["permission", "privilege", "rights"].map { Array($0.utf8) }
    /// The maximum number of words from `not have` to the missing object: `the required permission`,
    /// `sufficient rights`.
    private static let longestReach = 6
    private static let pathBytes: Set<UInt8> = Set("/\\=".utf8)
    private static let exception = Array("exception".utf8)[...]
    private static let nativeMark = Array("<nativehr>".utf8)
    private static let words: Set<[UInt8]> = Set(
        [
            "aborted", "blocked", "cannot", "conflict", "corrupt", "corrupted", "crashed", "critical", "deadlock",
            "denied", "error", "errors",
            "exception", "expired", "fail", "failed", "fails", "failure", "fatal", "forbidden", "inaccessible",
            "inconsistent", "insufficient", "invalid", "mismatch", "missing", "refused", "rejected",
            "timed", "timeout", "unable", "unauthorized", "unavailable", "unexpected", "unreachable",
        ].map { Array($0.utf8) }
    )
}

/// A description, in words, of a text without events.
package struct ForeignText {
    package let description: String

    /// Classifies a text by its beginning.
    package init(startOf head: [UInt8]) {
        let lines = head.prefix(4096).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { Array($0) }
            .filter { !$0.trimmed.isEmpty }
        let first = lines.first.map { $0[$0.trimmed].first } ?? nil
        description =
            if lines.contains(where: IISLog.begins) {
                "an IIS log"
            } else if !lines.isEmpty, lines.prefix(5).allSatisfy(Self.isAddress) {
                "a list of addresses"
            } else if first == UInt8(ascii: "<") {
                "XML or HTML"
            } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") && Self.isOfArray(head) {
                "JSON"
            } else {
                "text of another kind"
            }
    }

    /// Returns whether a text that begins with a bracket begins with an array of objects, arrays or texts, and not with a
    /// time in brackets.
    private static func isOfArray(_ head: [UInt8]) -> Bool {
        let next = head.drop { $0 <= 0x20 }.dropFirst().first { $0 > 0x20 }
        return next.map { "{[\"]".utf8.contains($0) } ?? true
    }

    private static func isAddress(_ line: [UInt8]) -> Bool {
        let content = line[line.trimmed]
        guard let colon = content.firstIndex(of: UInt8(ascii: ":")), colon > content.startIndex else { return false }
        return content[..<colon].allSatisfy { $0.lowercased.isLowercase }
            && Array(content[colon...].prefix(3)) == Array("://".utf8)
    }
}

/// The directives at the beginning of an IIS log.
private enum IISLog {
    static func begins(_ text: [UInt8]) -> Bool { directives.contains { text.hasPrefix($0) } }

    private static let directives = ["#Software:", "#Fields:"].map { Array($0.utf8) }
}

/// A row from the log of a program other than the logging service, with a level in capitals.
///
/// - The configuration wizard: `11/02/2026 10:00:00  8  ERR      text`.
/// - Upgrades, before they used the service's format:
///   `[STSADM] [SPUpgradeSession] [ERROR] [11/2/2026 10:00:00 AM]: text`.
/// - The nodes of FAST Search: `[2026-11-02 10:00:00] ERROR : text`, and other programs: `2026-11-02 10:00:00.000
///   [ERROR] text`.
///
/// Prose does not begin with a date, a time and a level in these positions.
struct ProgramRow {
    let head: RowHead
    /// The level in the service's wording, because `WRN` is unfamiliar to readers of the service's logs.
    let level: [UInt8]

    /// Reads a line; `nil` for any other line.
    init?(_ line: [UInt8]) {
        let start = line.blanks(from: 0, to: line.count).end
        guard start < line.count else { return nil }
        if line[start] == UInt8(ascii: "[") {
            self.init(bracketed: line, at: start)
        } else {
            guard line[start].isDigit else { return nil }
            let end = min(line.count, start + Self.longestHead)
            guard let time = PastedTime(line, at: start, to: end), time.kind == .dateAndTime, !time.isContinuation,
                let next = line.next(time.end)
            else { return nil }
            self.init(line, time: time.range, at: Self.thread(line, at: next) ?? next)
        }
    }

    /// Reads `[a] [b] [LEVEL] [time]: text` or `[time] LEVEL : text`.
    private init?(bracketed line: [UInt8], at start: Int) {
        var names: [Range<Int>] = []
        var index = start
        while names.count < Self.mostNames, let inside = line.bracket(at: index),
            let next = line.next(inside.upperBound + 1)
        {
            if names.isEmpty, let time = Self.time(line, inside) {
                self.init(line, time: time, at: next)
                return
            }
            if let level = Self.level(line[inside]), let place = line.bracket(at: next),
                let time = Self.time(line, place)
            {
                self.init(line, names: names, level: inside, word: level, time: time, end: place.upperBound + 1)
                return
            }
            names.append(inside)
            index = next
        }
        return nil
    }

    /// Reads a level, with or without brackets, and the message after it.
    private init?(_ line: [UInt8], time: Range<Int>, at index: Int) {
        let inside = line.bracket(at: index)
        let word = inside ?? index..<line.endOfWord(from: index, to: min(line.count, index + Self.longestLevel))
        let range = inside == nil && line[word].last == UInt8(ascii: ":") ? word.lowerBound..<word.upperBound - 1 : word
        guard let level = Self.level(line[range]) else { return nil }
        let end = inside == nil ? range.upperBound : range.upperBound + 1
        self.init(line, names: [], level: range, word: level, time: time, end: end)
    }

    private init?(_ line: [UInt8], names: [Range<Int>], level: Range<Int>, word: String, time: Range<Int>, end: Int) {
        guard end == line.count || line.blankWidth(at: end) > 0 || line[end] == UInt8(ascii: ":") else { return nil }
        var message = line.blanks(from: end, to: line.count).end
        // FAST Search writes a colon between two blanks; upgrades write a colon after the bracket.
        let isColon = message < line.count && line[message] == UInt8(ascii: ":")
        if isColon, message == end || message + 1 == line.count || line.blankWidth(at: message + 1) > 0 {
            message = line.blanks(from: message + 1, to: line.count).end
        }
        var head = RowHead(level: level, messageStart: message)
        head.time = time
        // The name of the program occurs only before that of one of its parts.
        if names.count > 1 { head.process = names[0] }
        if let part = names.last { head.category = part }
        head.isGuessed = false
        self.head = head
        self.level = Array(word.utf8)
    }

    /// Returns the offset of the text after a thread number, `8` or `[8]`; `nil` if there is none.
    private static func thread(_ line: [UInt8], at index: Int) -> Int? {
        let inside = line.bracket(at: index)
        let word = inside ?? index..<line.endOfWord(from: index, to: min(line.count, index + longestLevel))
        guard !word.isEmpty, line[word].allSatisfy(\.isDigit) else { return nil }
        return line.next(inside == nil ? word.upperBound : word.upperBound + 1)
    }

    private static func time(_ line: [UInt8], _ inside: Range<Int>) -> Range<Int>? {
        guard let time = PastedTime(line, at: inside.lowerBound, to: inside.upperBound), time.kind == .dateAndTime,
            time.end == inside.upperBound, !time.isContinuation
        else { return nil }
        return time.range
    }

    private static func level(_ word: ArraySlice<UInt8>) -> String? { levels[Array(word)] }

    private static let longestHead = 64
    private static let longestLevel = 16
    private static let mostNames = 4
    private static let levels: [[UInt8]: String] = {
        let words: KeyValuePairs<String, [String]> = [
            "Critical": ["FATAL", "CRITICAL"],
            "Error": ["ERR", "ERROR"],
            "Warning": ["WRN", "WARN", "WARNING"],
            "Information": ["INF", "INFO", "INFORMATION"],
            "Verbose": ["DBG", "DEBUG", "VERBOSE", "TRACE"],
        ]
        var levels: [[UInt8]: String] = [:]
        for (level, all) in words {
            for word in all { levels[Array(word.utf8)] = level }
        }
        return levels
    }()
}

extension [UInt8] {
    /// Returns the range within the square brackets that open at `index`; `nil` if there are none, or if the range is
    /// too long.
    fileprivate func bracket(at index: Int) -> Range<Int>? {
        guard index < count, self[index] == UInt8(ascii: "[") else { return nil }
        let window = (index + 1)..<Swift.min(count, index + 80)
        guard let close = self[window].firstIndex(of: UInt8(ascii: "]")), close > index + 1 else { return nil }
        return (index + 1)..<close
    }

    /// Returns the offset of the text after the blanks at `index`; `nil` if there is no text, or no blank.
    fileprivate func next(_ index: Int) -> Int? {
        let blanks = blanks(from: index, to: count)
        return blanks.end > index && blanks.end < count ? blanks.end : nil
    }
}

/// The names of fields and levels in Windows event log records, as copied by Event Viewer in several languages.
///
/// English names are among those of ``PasteColumn``.
enum EventLogWords {
    /// A language: the names of fields, without spaces and marks and with ASCII letters in lowercase, and the levels as
    /// written.
    private struct Language {
        var fields: KeyValuePairs<PasteColumn, [String]>
        var levels: KeyValuePairs<String, String>
    }

    /// The fields by their names in all languages.
    static let fields: [[UInt8]: PasteColumn] = {
        var fields: [[UInt8]: PasteColumn] = [:]
        for (column, names) in languages.flatMap(\.fields) {
            for name in names { fields[Array(name.utf8).map(\.lowercased)] = column }
        }
        return fields
    }()

    /// The English levels by their names in other languages.
    static let levels: [[UInt8]: String] = {
        var levels: [[UInt8]: String] = [:]
        for (foreign, level) in languages.flatMap(\.levels) { levels[Array(foreign.utf8)] = level }
        return levels
    }()

    /// The level of a refused attempt in the security log, whose events have no other level than information.
    static let failedAudit = Array("Audit Failure".utf8)

    /// The keywords of the security log's events about a refused attempt, in words and as the mask of XML.
    static let failedAudits = Set(
        [
            "Audit Failure", "Überwachungsfehler", "Überwachung gescheitert", "Échec de l’audit", "Échec de l'audit",
            "0x8010000000000000",
        ].map { Array($0.utf8) }
    )

    private static let languages = [
        english, german, french, spanish, portuguese, italian, dutch, russian, japanese, chinese,
    ]

    /// The security log of older Windows has the result of an audit in place of a level.
    private static let english = Language(
        fields: [:],
        levels: ["Failure Audit": "Audit Failure", "Success Audit": "Information"]
    )
    private static let german = Language(
        fields: [
            .logName: ["protokollname"], .area: ["quelle"], .time: ["datum"], .eventID: ["ereignisid"],
            .category: ["aufgabenkategorie"], .level: ["ebene"], .message: ["beschreibung"],
            .eventXML: ["ereignisxml"], .keywords: ["schlüsselwörter"], .ignored: ["benutzer"],
        ],
        levels: [
            "Kritisch": "Critical", "Fehler": "Error", "Warnung": "Warning", "Informationen": "Information",
            "Ausführlich": "Verbose",
        ]
    )
    private static let french = Language(
        fields: [
            .logName: ["nomdujournal"], .eventID: ["iddel’événement", "iddel'événement", "iddelévénement"],
            .category: ["catégoriedelatâche"], .level: ["niveau"], .eventXML: ["xmldel’événement", "xmldel'événement"],
            .keywords: ["motsclés"], .ignored: ["utilisateur"], .computer: ["ordinateur"],
        ],
        levels: [
            "Critique": "Critical", "Erreur": "Error", "Avertissement": "Warning", "Commentaires": "Verbose",
        ]
    )
    private static let spanish = Language(
        fields: [
            .logName: ["nombrederegistro"], .area: ["origen"], .time: ["fecha"],
            .eventID: ["iddelevento", "iddeevento"],
            .category: ["categoríadelatarea"], .level: ["nivel"], .message: ["descripción"],
            .eventXML: ["xmldeevento", "xmldelevento"], .keywords: ["palabrasclave"], .ignored: ["usuario"],
            .computer: ["equipo"],
        ],
        levels: [
            "Crítico": "Critical", "Advertencia": "Warning", "Información": "Information", "Detallado": "Verbose",
        ]
    )
    private static let portuguese = Language(
        fields: [
            .logName: ["nomedolog", "nomederegisto"], .area: ["fonte", "origem"],
            .eventID: ["iddoevento", "identificaçãodoevento", "iddeevento"],
            .category: ["categoriadatarefa", "categoriadetarefas"], .level: ["nível"],
            .message: ["descrição"], .eventXML: ["xmldeevento", "xmldoevento"],
            .keywords: ["palavraschave"], .ignored: ["usuário", "utilizador"], .computer: ["computador"],
        ],
        levels: ["Erro": "Error", "Aviso": "Warning", "Informações": "Information", "Detalhado": "Verbose"]
    )
    private static let italian = Language(
        fields: [
            .logName: ["nomeregistro"], .area: ["origine"], .eventID: ["idevento"], .category: ["categoriaattività"],
            .level: ["livello"], .message: ["descrizione"], .eventXML: ["xmlevento"],
            .keywords: ["parolechiave"], .ignored: ["utente"],
        ],
        levels: ["Critico": "Critical", "Errore": "Error", "Avviso": "Warning", "Informazioni": "Information"]
    )
    private static let dutch = Language(
        fields: [
            .logName: ["logboeknaam"], .area: ["bron"], .eventID: ["gebeurtenisid"], .category: ["taakcategorie"],
            .message: ["beschrijving"], .eventXML: ["gebeurtenisxml"], .keywords: ["trefwoorden"],
            .ignored: ["gebruiker"],
        ],
        levels: ["Kritiek": "Critical", "Fout": "Error", "Waarschuwing": "Warning", "Informatie": "Information"]
    )
    private static let russian = Language(
        fields: [
            .logName: ["Имяжурнала"], .area: ["Источник"], .time: ["Дата"], .eventID: ["Кодсобытия"],
            .category: ["Категориязадачи"], .level: ["Уровень"], .message: ["Описание"], .eventXML: ["Xmlсобытия"],
            .keywords: ["Ключевыеслова"], .ignored: ["Пользователь"], .computer: ["Компьютер"],
        ],
        levels: [
            "Критический": "Critical", "Ошибка": "Error", "Предупреждение": "Warning", "Сведения": "Information",
            "Подробности": "Verbose",
        ]
    )
    private static let japanese = Language(
        fields: [
            .logName: ["ログの名前"], .area: ["ソース"], .time: ["日付"], .eventID: ["イベントid"],
            .category: ["タスクのカテゴリ"], .level: ["レベル"], .message: ["説明", "メッセージ"],
            .eventXML: ["イベントxml"], .keywords: ["キーワード"], .ignored: ["ユーザー"], .computer: ["コンピューター"],
        ],
        levels: [
            "重大": "Critical", "重要": "Critical", "エラー": "Error", "警告": "Warning", "情報": "Information",
            "詳細": "Verbose",
        ]
    )
    private static let chinese = Language(
        fields: [
            .logName: ["日志名称", "記錄檔名稱"], .area: ["来源", "來源"], .time: ["日期"], .eventID: ["事件id", "事件識別碼"],
            .category: ["任务类别", "工作類別"], .level: ["级别", "等級"], .message: ["描述"],
            .eventXML: ["事件xml"], .keywords: ["关键字", "關鍵字"], .ignored: ["用户", "使用者"], .computer: ["计算机", "電腦"],
        ],
        levels: [
            "关键": "Critical", "重大": "Critical", "错误": "Error", "錯誤": "Error", "警告": "Warning", "信息": "Information",
            "資訊": "Information", "详细": "Verbose",
        ]
    )
}
