/// The names of fields and levels in records of the Windows event log, as Event Viewer copies them in several languages.
///
/// English names are among those of ``PasteColumn``.
enum EventLogWords {
    /// A language: names of fields without spaces and marks, in lowercase as far as they are ASCII; levels as written.
    private struct Language {
        var fields: KeyValuePairs<PasteColumn, [String]>
        var levels: KeyValuePairs<String, String>
    }

    /// The field of a name; `nil` if no language has it.
    static let fields: [[UInt8]: PasteColumn] = {
        var fields: [[UInt8]: PasteColumn] = [:]
        for (column, names) in languages.flatMap(\.fields) {
            for name in names { fields[Array(name.utf8).map(\.lowercased)] = column }
        }
        return fields
    }()

    /// The level in English, by the one of another language.
    static let levels: [[UInt8]: String] = {
        var levels: [[UInt8]: String] = [:]
        for (foreign, level) in languages.flatMap(\.levels) { levels[Array(foreign.utf8)] = level }
        return levels
    }()

    private static let languages = [
        german, french, spanish, portuguese, italian, dutch, russian, japanese, chinese,
    ]

    private static let german = Language(
        fields: [
            .logName: ["protokollname"], .area: ["quelle"], .time: ["datum"], .eventID: ["ereignisid"],
            .category: ["aufgabenkategorie"], .level: ["ebene"], .message: ["beschreibung"],
            .eventXML: ["ereignisxml"], .ignored: ["schlüsselwörter", "benutzer"],
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
            .ignored: ["motsclés", "utilisateur", "ordinateur"],
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
            .eventXML: ["xmldeevento", "xmldelevento"], .ignored: ["palabrasclave", "usuario", "equipo"],
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
            .ignored: ["palavraschave", "usuário", "utilizador", "computador"],
        ],
        levels: ["Erro": "Error", "Aviso": "Warning", "Informações": "Information", "Detalhado": "Verbose"]
    )
    private static let italian = Language(
        fields: [
            .logName: ["nomeregistro"], .area: ["origine"], .eventID: ["idevento"], .category: ["categoriaattività"],
            .level: ["livello"], .message: ["descrizione"], .eventXML: ["xmlevento"],
            .ignored: ["parolechiave", "utente"],
        ],
        levels: ["Critico": "Critical", "Errore": "Error", "Avviso": "Warning", "Informazioni": "Information"]
    )
    private static let dutch = Language(
        fields: [
            .logName: ["logboeknaam"], .area: ["bron"], .eventID: ["gebeurtenisid"], .category: ["taakcategorie"],
            .message: ["beschrijving"], .eventXML: ["gebeurtenisxml"], .ignored: ["trefwoorden", "gebruiker"],
        ],
        levels: ["Kritiek": "Critical", "Fout": "Error", "Waarschuwing": "Warning", "Informatie": "Information"]
    )
    private static let russian = Language(
        fields: [
            .logName: ["Имяжурнала"], .area: ["Источник"], .time: ["Дата"], .eventID: ["Кодсобытия"],
            .category: ["Категориязадачи"], .level: ["Уровень"], .message: ["Описание"], .eventXML: ["Xmlсобытия"],
            .ignored: ["Ключевыеслова", "Пользователь", "Компьютер"],
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
            .eventXML: ["イベントxml"], .ignored: ["キーワード", "ユーザー", "コンピューター"],
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
            .eventXML: ["事件xml"], .ignored: ["关键字", "關鍵字", "用户", "使用者", "计算机", "電腦"],
        ],
        levels: [
            "关键": "Critical", "重大": "Critical", "错误": "Error", "錯誤": "Error", "警告": "Warning", "信息": "Information",
            "資訊": "Information", "详细": "Verbose",
        ]
    )
}
