import Testing

@testable import ULSPaste
@testable import ULSRows

/// Records of the Windows event log, as people paste them.
struct PastedEventTests {
    @Test(arguments: ["_%_\\", "*%*", "**%**  ", "%\\", "- %", "__%__\\"])
    func `Fields can be emphasized, and can end with Markdown markup`(form: String) {
        let lines = [
            "Source: SharePoint Foundation", "Event ID: 2163", "Level: Error", "Event Description: It is at D:\\logs\\",
        ]
        let paste = ReadPaste(lines.map { form.replacing("%", with: $0) }.joined(separator: "\n"))
        #expect(paste.only.columns[3...7] == ["SharePoint Foundation", "", "2163", "Error", "It is at D:\\logs\\"])
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test(arguments: ["", "SharePoint Health Analyzer - Problem detected\n\n"])
    func `A report of the Health Analyzer is one record`(heading: String) throws {
        let paste = ReadPaste(
            heading
                + "Title: The disk is full.\nSeverity: 1 - Error\nCategory: Availability\nExplanation: On drive C:.\n"
                + "Remedy: Free some space.\nFailing Servers: WFE1\nFailing Services: SPTimerService (SPTimerV4)\n"
                + "Rule Settings: View\n"
        )
        let record = try #require(paste.records.first { !$0.level.isEmpty })
        #expect(record.columns[4...6] == ["Availability", "", "Error"])
        #expect(
            record.messageText == "The disk is full.\nOn drive C:.\nFree some space.\nFailing Servers: WFE1"
                + "\nFailing Services: SPTimerService (SPTimerV4)"
        )
        #expect(paste.records.count == 1 && paste.quality.notUnderstood == (heading.isEmpty ? 0 : 1))
    }

    @Test func `A report of the Health Analyzer can be a table with empty cells, and its remedy can have paragraphs`() {
        let paste = ReadPaste(
            "Title\tA host is down.\nSeverity\t0 - Rule Execution Failure\nCategory\tAvailability\n"
                + "Explanation\tIt does not answer.\nRemedy\tStart it.\nThen wait.\n\nOtherwise, repair it.\n"
                + "Failing Servers\t\nRule Settings\tView\n"
        )
        #expect(paste.only.columns[4...6] == ["Availability", "", "Error"])
        #expect(paste.only.messageText.hasPrefix("A host is down.\nIt does not answer.\nStart it."))
        #expect(paste.only.messageText.hasSuffix("Otherwise, repair it."))
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test func `An event of Windows auditing is one record with all its sections`() {
        let paste = ReadPaste(
            "An account failed to log on.\n\nSubject:\n\tAccount Name:\t\tsvc7\n\nLogon Type:\t\t3\n\n"
                + "Account For Which Logon Failed:\n\tAccount Name:\t\tann7\n\nFailure Information:\n"
                + "\tStatus:\t\t\t0xC000006D\n\nThis event is generated when a logon request fails.\n"
        )
        #expect(paste.only.messageText.hasPrefix("An account failed to log on."))
        #expect(paste.only.messageText.hasSuffix("a logon request fails."))
    }

    @Test(arguments: ["HTTP Error 500.19 - Internal Server Error", "Server Error in '/' Application."])
    func `A short text with an error page beside native rows is a paste`(page: String) {
        let row = "07/06/2021 14:02:51.20\tw3wp.exe (0x2B64)\t0x17F0\tArea\tGeneral\taixv0\tHigh\tIt failed.\t\n"
        func isNative(_ text: String) -> Bool { NativeText.isNative(text.utf8.span, isWhole: true) }
        #expect(isNative(row) && !isNative("\(page)\n\n\(row)") && !isNative("\(row)\n\(page)\n"))
        let paste = ReadPaste("\(row)\n\(page)\nIt is invalid.\n")
        #expect(paste.records.count == 2 && paste.records.first?.messageText == "It failed.")
    }

    @Test func `An error page between two events is a record of its own`() {
        let event = "Log Name: Application\nSource: A\nEvent ID: 1309\nLevel: Warning\nDescription:\nIt failed.\n\n"
        let paste = ReadPaste(
            "\(event)Server Error in '/' Application.\n\nDescription: It is bad.\n\nVersion Information: 4\n\n\(event)"
        )
        #expect(paste.records.count == 3 && paste.quality.notUnderstood == 0)
    }

    @Test func `An error page above the rows of a log is a record as well`() {
        let row = "07/06/2021 14:02:51.20\tw3wp.exe (0x2B64)\t0x17F0\tArea\tGeneral\taixv0\tHigh\tIt failed.\t\n"
        let paste = ReadPaste("Hello,\n\nHTTP Error 500.19 - Internal Server Error\nIt is invalid.\n\n\(row)")
        #expect(paste.records.count == 2 && paste.records.first?.messageText.contains("500.19") == true)
        #expect(paste.quality.notUnderstood == 1)
    }

    @Test func `An error page of ASP.NET is one record with all its sections`() {
        let paste = ReadPaste(
            "Server Error in '/' Application.\nSecurity Exception\nDescription: It is not allowed.\n\n"
                + "Exception Details: System.Security.SecurityException: Not allowed.\n\nSource Error:\n\n"
                + "An unhandled exception was generated.\n\nStack Trace:\n\n[SecurityException: Not allowed.]\n"
                + "   Contoso.Part.Log() +62\n\nVersion Information: Microsoft .NET Framework Version:4.0.30319\n"
        )
        #expect(paste.only.messageText.hasPrefix("Server Error in '/' Application."))
        #expect(paste.only.messageText.hasSuffix("4.0.30319"))
    }

    @Test func `A paragraph below a failure that only begins like a section is not part of it`() {
        let paste = ReadPaste("System.Exception: It failed.\n\nSubject: Search is down\n")
        #expect(paste.records.first?.messageText.contains("Search") == false)
    }

    @Test func `Events copied from a German Event Viewer are read`() {
        let paste = ReadPaste(
            "Protokollname: Application\nQuelle:        Foundation Search\nDatum:         09.08.2026 16:51:10\n"
                + "Ereignis-ID:   14\nAufgabenkategorie:Gatherer\nEbene:         Warnung\nSchlüsselwörter:\n"
                + "Benutzer:      LOKALER DIENST\nComputer:      WFE1\nBeschreibung:\nDie Adresse ist weg.\n\n"
                + "Zugriff verweigert. (0x80041205)\nEreignis-XML:\n<Event/>\n"
        )
        #expect(paste.only.columns[3...6] == ["Foundation Search", "Gatherer", "14", "Warning"])
        #expect(paste.only.messageText.hasSuffix("Zugriff verweigert. (0x80041205)"))
        #expect(String(decoding: paste.only.time, as: UTF8.self) == "2026-08-09 16:51:10")
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test(arguments: [
        "Nom du journal :Application|Source : Foundation|Date : 09/08/2026 16:51:10|ID de l’événement :6398"
            + "|Catégorie de la tâche :Timer|Niveau : Critique|Mots clés : |Utilisateur : CONTOSO\\svc|Ordinateur : WFE1"
            + "|Description :|Lost",
        "Nombre de registro:Application|Origen: Foundation|Fecha: 09/08/2026 16:51:10|Id. del evento:6398"
            + "|Categoría de la tarea:Timer|Nivel: Crítico|Palabras clave:|Usuario: x|Equipo: WFE1|Descripción:|Lost",
        "Nome do Log: Application|Fonte: Foundation|Date: 09/08/2026 16:51:10|ID do Evento: 6398"
            + "|Categoria da Tarefa:Timer|Nível: Critical|Palavras-chave:|Usuário: x|Computador: WFE1|Descrição:|Lost",
        "Nome registro: Application|Origine: Foundation|Date: 09/08/2026 16:51:10|ID evento: 6398"
            + "|Categoria attività: Timer|Livello: Critico|Parole chiave:|Utente: x|Computer: WFE1|Descrizione:|Lost",
        "Logboeknaam: Application|Bron: Foundation|Datum: 9-8-2026 16:51:10|Gebeurtenis-id: 6398"
            + "|Taakcategorie: Timer|Level: Kritiek|Trefwoorden:|Gebruiker: x|Computer: WFE1|Beschrijving:|Lost",
        "Имя журнала: Application|Источник: Foundation|Дата: 09.08.2026 16:51:10|Код события: 6398"
            + "|Категория задачи: Timer|Уровень: Критический|Ключевые слова:|Компьютер: WFE1|Описание:|Lost",
        "ログの名前: Application|ソース: Foundation|日付: 2026/08/09 16:51:10|イベント ID: 6398"
            + "|タスクのカテゴリ: Timer|レベル: 重大|キーワード:|ユーザー: x|コンピューター: WFE1|説明:|Lost",
        "ログの名前\tApplication|ソース\tFoundation|日付\t2026/08/09 16:51:10|イベントID\t6398|タスクのカテゴリ\tTimer|レベル\t重大"
            + "|メッセージ：|Lost",
        "¦ ログの名前 ¦ Application ¦|¦ ソース ¦ Foundation ¦|¦ 日付 ¦ 2026/08/09 16:51:10 ¦|¦ イベントID ¦ 6398 ¦"
            + "|タスクのカテゴリ ¦ Timer ¦|¦ レベル ¦ 重要 ¦||メッセージ：|Lost",
        "日志名称: Application|来源: Foundation|日期: 2026/8/9 16:51:10|事件 ID: 6398|任务类别: Timer|级别: 关键|关键字:"
            + "|用户: x|计算机: WFE1|描述:|Lost",
    ])
    func `Events in other languages are read with the day before the month`(record: String) {
        let paste = ReadPaste(record.split(separator: "|").joined(separator: "\n").replacing("¦", with: "|") + "\n")
        #expect(paste.only.columns[3...6] == ["Foundation", "Timer", "6398", "Critical"])
        #expect(paste.only.messageText == "Lost")
        let time = String(decoding: paste.only.time, as: UTF8.self)
        #expect(["2026-08-09 16:51:10", "2026-8-9 16:51:10"].contains(time))
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test func `The emphasis can cover only the field's name`() {
        let paste = ReadPaste("**Event ID:** 6398\n**Level**: **Critical**\n_Description:_ It _is_ torn\n")
        #expect(paste.only.summary == "6398 Critical")
        #expect(paste.only.messageText == "It _is_ torn")
    }

    @Test(arguments: ["It is in D:\\logs\\", "_Note: it failed_", "**It failed**", "#define FAILED 1 \\"])
    func `Markup characters are removed only where they are markup`(text: String) {
        #expect(ReadPaste(text + "\n").records.allSatisfy { $0.messageText == text })
        #expect(ReadPaste("It failed: " + text).only.messageText == "It failed: " + text)
    }

    @Test func `Typographic quotes and arrows are replaced with plain ones`() {
        let paste = ReadPaste(
            "System.Exception: The list ‘Tasks’ is “gone” —> System.IO.IOException: It’s full – so — what…"
        )
        #expect(
            paste.only.messageText
                == "System.Exception: The list 'Tasks' is \"gone\" ---> System.IO.IOException: It's full – so — what…"
        )
    }

    @Test func `A hard line break is not part of a message`() {
        #expect(
            ReadPaste("It failed.\\\nThe store D:\\a\\\\\nis gone\\\n").only.messageText
                == "It failed. The store D:\\a\\ is gone"
        )
    }

    @Test(arguments: [
        "Log Name: Application\nLevel: Error\nService cannot be started.",
        "Source: Caching\nLevel: Error\nService cannot be started.",
        "Log Name: Application\nEvent ID: 8193\nLevel: Error\nService cannot be started.",
    ])
    func `The text of an event can lack a label, and the event its number`(text: String) {
        let paste = ReadPaste(text)
        #expect(paste.only.messageText == "Service cannot be started.")
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test(arguments: [
        "Copy error: Unexpected error calling the routine", "The key could not be read: Access is denied.",
    ])
    func `A sentence with a colon below the fields of an event is its text`(sentence: String) {
        let paste = ReadPaste("Log Name: Application\nEvent ID: 8193\nLevel: Error\n\(sentence)")
        #expect(paste.only.messageText == sentence)
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test(arguments: ["Product: Contoso Server - the update failed.", "Source: the mail server. Level: none."])
    func `The first line of a description can look like another field`(line: String) {
        let event =
            "Log Name: Application\nSource: Setup\nEvent ID: 1024\nLevel: Error\nDescription:\n\(line)\nIt ends."
        let paste = ReadPaste(event)
        #expect(paste.only.summary == "1024 Error")
        #expect(paste.only.messageText == "\(line) It ends.")
    }

    static let fields = [
        "Log Name: Application", "Source: Foundation", "Event ID: 6398", "Level: Critical", "Keywords:",
        "Computer: WFE1",
    ]

    @Test(arguments: ["", "Description:", "Description: It threw an exception."])
    func `Blank lines can separate fields, and the description can lack a label`(name: String) {
        let text = name.hasSuffix(".") ? [name] : [name, "It threw an exception."].filter { !$0.isEmpty }
        for fields in [Self.fields, Array(Self.fields.dropFirst())] {
            let paste = ReadPaste((fields + text + ["No access.", "User: none"]).joined(separator: "\n\n"))
            #expect(paste.only.summary == "6398 Critical")
            #expect(paste.only.messageText == "It threw an exception.\nNo access.\nUser: none")
            #expect(paste.quality.notUnderstood == 0)
        }
    }

    @Test(arguments: [("[date]", "9:07:31 PM", "9:07:31 PM"), ("2/3/2010", "9:07:31 PM", "2/3/2010 9:07:31 PM")])
    func `An older event without a label for its text is one record, even if its date was made unreadable`(
        date: String,
        time: String,
        read: String
    ) {
        let fields = [
            "Event Type:  Error", "Event Source:  DISK", "Event Category: (2)", "Event ID:  7011", "Date:   \(date)",
            "Time:   \(time)", "User:  N/A", "Computer:  APP1",
        ]
        for separator in ["\n", "\n\n"] {
            let paste = ReadPaste((fields + ["The volume is full. See the drive: E."]).joined(separator: separator))
            #expect(paste.only.summary == "7011 Error")
            #expect(paste.only.messageText == "The volume is full. See the drive: E.")
            #expect(String(decoding: paste.only.time, as: UTF8.self) == read)
            #expect(paste.quality.notUnderstood == 0)
        }
    }

    @Test(arguments: ["", "\n", "\n- "])
    func `Events as XML are read, on one line or several`(separator: String) {
        let system =
            "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>¦<System>¦<Provider "
            + "Name='Disk &amp; Co' Guid='{0}'/>¦<EventID Qualifiers='0'>153</EventID>¦<Level>3</Level>¦<TimeCreated "
            + "SystemTime='2026-08-09T14:51:10.1234567Z'/>¦<Correlation "
            + "ActivityID='{12345678-1234-1234-1234-123456789012}'/>¦<Computer>APP1</Computer>¦</System>¦"
        let data = "<EventData>¦<Data Name='Drive'>E&lt;1&gt;</Data>¦<Data Name='param1'>was retried</Data>¦<Data/>¦"
        let bare = "\(system)\(data)</EventData>¦</Event>"
        let rendered =
            "\(system)<RenderingInfo Culture='en-US'>¦<Message>It was &quot;retried&quot;</Message>¦"
            + "<Level>Critical</Level>¦<Task>Paging</Task>¦</RenderingInfo>¦</Event>"
        let text = [bare, rendered].map { $0.replacing("¦", with: separator) }.joined(separator: "\n") + "\n"
        let paste = ReadPaste(text)
        #expect(paste.records.map(\.summary) == ["153 Warning", "153 Critical"])
        #expect(paste.records.map(\.messageText) == ["Drive: E<1>\nwas retried", "It was \"retried\""])
        #expect(paste.records.map { $0.columns[3] } == ["Disk & Co", "Disk & Co"])
        #expect(paste.records.last?.columns[4] == "Paging")
        #expect(paste.quality.notUnderstood == 0 && paste.quality.lines == paste.quality.accounted)
        // Without its end, an event extends to the next row.
        let torn = ReadPaste(
            "\(system.replacing("¦", with: separator))\n10/04/2026 10:00:00.00 \(PasteLimitsTests.row) Lost"
        )
        #expect(torn.records.map(\.summary).first == "153 Warning" && torn.records.last?.messageText == "Lost")
        let inOneLine = ReadPaste(bare.replacing("¦", with: "") + bare.replacing("¦", with: "") + "\n")
        #expect(inOneLine.records.count == 2 && inOneLine.quality.accounted == 1)
    }

    @Test func `References of HTML count as characters only if they separate columns`() {
        let columns = [
            "10/04/2026 10:00:00.00", "w3wp.exe (0x1A2C)", "0x0B18", "Foundation", "General", "ab1cd", "High",
        ]
        let row = (columns + ["The list &lt;A&gt; is &quot;gone&quot;", ""]).joined(separator: "&#9;")
        let decoded = ReadPaste("\(row)\n\(row)\n")
        #expect(decoded.records.map(\.messageText) == Array(repeating: "The list <A> is \"gone\"", count: 2))
        #expect(decoded.records.first?.columns[5...6] == ["ab1cd", "High"])
        let plain = ReadPaste("\(PasteLimitsTests.row) It is &lt;A&gt;&#9;B\n")
        #expect(plain.only.messageText == "It is &lt;A&gt;&#9;B")
        let table = "'EventID','Level','Message'\n'ab1cd','High','A, B'\n".replacing("'", with: "&quot;")
        #expect(ReadPaste(table).only.messageText == "A, B")
    }

    @Test func `A description extends to the next record`() {
        let paste = ReadPaste(
            """
            Event Type: Error
            Event Source: Foundation
            Event ID: 6398
            Date: 3/11/2024
            Time: 11:03:00 AM
            Event Description: It threw an exception. More is below.

            Data is Null.

            Server: A
            User: B
            Event Type: Warning
            Event ID: 6482
            Description:
            It failed.

            Event ID: 0f3c9a10
            """
        )
        #expect(paste.records.map(\.summary) == ["6398 Error", "6482 Warning"])
        #expect(
            paste.records.map(\.messageText) == [
                "It threw an exception. More is below.\nData is Null.\nServer: A User: B",
                "It failed.\nEvent ID: 0f3c9a10",
            ]
        )
        #expect(paste.records.first?.columns[0] == "3/11/2024 11:03:00 AM")
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test func `A message that announces more information continues after a blank line`() {
        let job = "Event ID: 6398\nThe job threw an exception.More information is included below.\n\n"
        let paste = ReadPaste(job + "Access is denied.\n\nThat was all.")
        #expect(paste.only.messageText.hasSuffix("included below.\nAccess is denied."))
        #expect(paste.quality.notUnderstood == 1)
    }

    @Test func `The level can follow the description`() {
        let paste = ReadPaste("Source: Foundation\nEvent ID: 7\nDescription: It is torn\nLevel: Warning\nComputer: A")
        #expect(paste.only.summary == "7 Warning")
        #expect(paste.only.messageText == "It is torn")
    }

    @Test func `The number of another event below a description begins the next event`() {
        let paste = ReadPaste(
            "Protokollname: System\nQuelle: WAS\nEreignis-ID:   5021\nEbene: Warnung\nBeschreibung:\nDas Konto ist ungültig.\n"
                + "Ereignis-ID:   5059\nEbene: Fehler\nBeschreibung:\nDer Pool ist aus.\nEvent ID: a-b\n"
        )
        #expect(paste.records.map(\.summary) == ["5021 Warning", "5059 Error"])
        #expect(paste.records.last?.messageText == "Der Pool ist aus. Event ID: a-b")
    }

    @Test(arguments: [
        ("Level: Information\nKeywords: Audit Failure", "Audit Failure"),
        ("Event Type: Failure Audit", "Audit Failure"),
        ("Level: Information\nKeywords: Audit Success", "Information"), ("Event Type: Success Audit", "Information"),
        ("Level: Error\nKeywords: Classic", "Error"),
        ("Ebene: Informationen\nSchlüsselwörter: Überwachung gescheitert", "Audit Failure"),
    ])
    func `A refused attempt in the security log is a problem`(fields: String, level: String) {
        let paste = ReadPaste(
            "Log Name: Security\nSource: Auditing\nEvent ID: 4625\n\(fields)\nDescription:\nAn account."
        )
        #expect(paste.only.summary == "4625 \(level)")
        #expect(paste.only.messageText == "An account.")
    }

    @Test(arguments: [("0x8010000000000000", "Audit Failure"), ("0x8020000000000000", "Information")])
    func `A refused attempt in XML is a problem, and its computer is the server`(keywords: String, level: String) {
        let paste = ReadPaste(
            "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Auditing'/><EventID>4625</EventID><Level>0</Level>"
                + "<Keywords>\(keywords)</Keywords><Computer>DC1.contoso.com</Computer></System>"
                + "<EventData><Data Name='SubStatus'>0xc000006a</Data></EventData></Event>\n"
        )
        #expect(paste.only.summary == "4625 \(level)")
        #expect(String(decoding: paste.only.server, as: UTF8.self) == "DC1.contoso.com")
    }

    @Test func `A row ends a description, and prose ends a block copied from a log`() {
        let paste = ReadPaste("Source: X\nEvent ID: 7\nDescription: Torn\n\n\(PasteLimitsTests.row) Lost")
        #expect(paste.records.map(\.messageText) == ["Torn", "Lost"])
        let block = ReadPaste("Category: X\nEventID: ab1cd\nMessage: Torn\n\nThat was all.")
        #expect(block.only.messageText == "Torn")
        #expect(block.quality.notUnderstood == 1)
    }

    @Test(arguments: [
        ("Computer", "SPAPP01.contoso.com", "SPAPP01.contoso.com"), ("Ordinateur", "SPAPP01", "SPAPP01"),
        ("コンピューター", "SPAPP01", "SPAPP01"), ("Computer", "N/A", ""), ("Computer", "", ""),
        ("Server", "SPAPP01", ""),
    ])
    func `The computer of an event is the server that wrote it`(key: String, value: String, server: String) {
        let record = ReadPaste(
            "Log Name: Application\nSource: A\nEvent ID: 6398\nLevel: Error\n\(key): \(value)\nDescription:\nIt failed."
        ).only
        #expect(String(decoding: record.server, as: UTF8.self) == server)
        #expect(record.messageText == "It failed.")
    }

    @Test(arguments: [
        ("w3wp.exe (0x1790)", "w3wp.exe (SP1:0x1790)"), ("w3wp.exe (SP2:0x1790)", "w3wp.exe (SP2:0x1790)"),
        ("w3wp.exe", "w3wp.exe (SP1:)"), ("", " (SP1:)"),
    ])
    func `A server stands in the column of the process, unless that has one`(process: String, column: String) {
        var record = PastedRecord(shape: .block, line: 1)
        record.process = Array(process.utf8)
        #expect(record.processOnServer == record.process)
        record.setServer("SP1".utf8)
        record.setServer("SP3".utf8)
        #expect(String(decoding: record.processOnServer, as: UTF8.self) == column)
    }
}
