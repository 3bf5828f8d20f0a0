import HTTPService
import TextKit

/// A language of the console.
package enum ConsoleLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"

    static let cookie = "console-language"

    /// Determines the language of a request: the one chosen in it, the one chosen earlier, or the one that the browser
    /// prefers.
    init(_ request: ServedRequest) {
        let chosen = request.queryValue("lang") ?? Cookies(request)[Self.cookie]
        let accepted = (request.headers["Accept-Language"] ?? "").split(separator: ",").compactMap(Self.preference)
        let best = accepted.filter { $0.weight > 0 }.max { $0.weight < $1.weight }?.language
        self = chosen.flatMap(Self.init(rawValue:)) ?? best ?? .english
    }

    /// Reads an item such as `de-AT;q=0.8`.
    private static func preference(_ item: Substring) -> (language: ConsoleLanguage, weight: Double)? {
        let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
        guard let tag = parts.first, let language = Self(rawValue: tag.prefix { $0 != "-" }.lowercased()) else {
            return nil
        }
        let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
        return (language, weight)
    }

    var name: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        }
    }
}

/// A text in all languages, in which `{}` is a placeholder for a value; the order of the values is the same in each
/// language.
package struct ConsoleText: Sendable {
    private let english: String
    private let german: String
    /// Whether the text is the title of a column of numbers, which is aligned like the numbers.
    private(set) var isOfNumbers = false

    package init(_ english: String, _ german: String) { (self.english, self.german) = (english, german) }

    /// The text as the title of a column of numbers.
    var asNumber: ConsoleText {
        var text = self
        text.isOfNumbers = true
        return text
    }

    package func text(in language: ConsoleLanguage, _ values: [String] = []) -> String {
        let text =
            switch language {
            case .english: english
            case .german: german
            }
        guard !values.isEmpty else { return text }
        // A value may itself contain braces.
        var output = ""
        var rest = values[...]
        for (index, part) in text.split(by: "{}", omittingEmptySubsequences: false).enumerated() {
            if index > 0 { output += rest.popFirst() ?? "{}" }
            output += part
        }
        return output
    }
}

// MARK: - The table

/// The texts of the layout, of the sign-in, and of the pages in this module's first files.
extension ConsoleText {
    static let skip = ConsoleText("Skip to the contents", "Zum Inhalt springen")
    static let pagesLabel = ConsoleText("Pages", "Seiten")
    static let readOnly = ConsoleText("read-only", "nur lesend")
    static let writable = ConsoleText("writable", "schreibend")
    static let signedInAs = ConsoleText("signed in as {}", "angemeldet als {}")
    static let signOut = ConsoleText("Sign out", "Abmelden")
    static let languages = ConsoleText("Language", "Sprache")

    static let signIn = ConsoleText("Sign in", "Anmelden")
    static let token = ConsoleText("Token", "Token")
    static let tokenHint = ConsoleText(
        "An administrator creates tokens with content-distributor tokens create.",
        "Administratoren erzeugen Token mit content-distributor tokens create."
    )
    static let signInWithProvider = ConsoleText("Sign in with {}", "Mit {} anmelden")
    static let tokenRefused = ConsoleText(
        "The server does not accept this token.",
        "Der Server nimmt dieses Token nicht an."
    )
    static let signInFailed = ConsoleText("The sign-in failed: {}", "Die Anmeldung ist gescheitert: {}")
    static let signInExpired = ConsoleText(
        "it took longer than ten minutes, or was started in another browser",
        "sie dauerte länger als zehn Minuten oder begann in einem anderen Browser"
    )
    static let sessionEnded = ConsoleText(
        "The session has ended. Sign in to continue.",
        "Die Sitzung ist zu Ende. Zum Fortfahren bitte anmelden."
    )
    static let notSaved = ConsoleText(
        "Not saved, because the session had ended: copy it, sign in, and enter it again",
        "Nicht gespeichert, weil die Sitzung zu Ende war: kopieren, und nach dem Anmelden noch einmal eingeben"
    )
    static let continueLink = ConsoleText("Continue", "Weiter")
    static let fromElsewhere = ConsoleText(
        "You followed a link from another site. If you are signed in already:",
        "Sie kommen über einen Link von einer anderen Website. Falls Sie schon angemeldet sind:"
    )

    static let overview = ConsoleText("Overview", "Überblick")
    static let yourRights = ConsoleText("Your rights", "Ihre Rechte")
    static let administrator = ConsoleText("administrator", "Administrator")
    static let collections = ConsoleText("Collections", "Sammlungen")
    static let collection = ConsoleText("Collection", "Sammlung")
    static let noCollections = ConsoleText(
        "No collections are available to you.",
        "Es gibt keine Sammlung, die Sie verwenden dürfen."
    )
    static let documents = ConsoleText("Documents", "Dokumente").asNumber
    static let documentCount = ConsoleText("Documents", "Dokumente").asNumber
    static let notCounted = ConsoleText("not shown", "nicht angegeben")
    static let read = ConsoleText("read", "lesen")
    static let insert = ConsoleText("insert", "einfügen")
    static let update = ConsoleText("update", "ändern")
    static let delete = ConsoleText("delete", "löschen")
    static let rights = ConsoleText("Rights", "Rechte")

    static let words = ConsoleText("Words", "Wörter")
    static let field = ConsoleText("Field (NAME=VALUE)", "Feld (NAME=WERT)")
    static let expression = ConsoleText("Engine query", "Abfrage der Suchmaschine")
    static let search = ConsoleText("Search", "Suchen")
    static let noDocuments = ConsoleText("No document matches.", "Kein Dokument passt.")
    static let documentsShown = ConsoleText("{} documents on this page", "{} Dokumente auf dieser Seite")
    static let unreadable = ConsoleText(
        "{} documents can't be read, and are not shown.",
        "{} Dokumente sind nicht lesbar und werden nicht gezeigt."
    )
    static let firstPage = ConsoleText("First page", "Erste Seite")
    static let nextPage = ConsoleText("Next page", "Nächste Seite")
    static let identifier = ConsoleText("ID", "ID")
    static let contents = ConsoleText("Contents", "Inhalt")
    static let version = ConsoleText("Version", "Version")

    static let key = ConsoleText("Key", "Schlüssel")
    static let value = ConsoleText("Value", "Wert")
    static let edit = ConsoleText("Edit", "Bearbeiten")
    static let documentAsJSON = ConsoleText("The document as JSON", "Das Dokument als JSON")
    static let save = ConsoleText("Save", "Speichern")
    static let saved = ConsoleText("The document was saved.", "Das Dokument wurde gespeichert.")
    static let notJSON = ConsoleText("This is not a JSON object: {}", "Das ist kein JSON-Objekt: {}")
    static let deleteDocument = ConsoleText("Delete the document", "Dokument löschen")
    static let typeID = ConsoleText("To confirm, type the ID", "Zur Bestätigung die ID eintippen")
    static let wrongID = ConsoleText(
        "Nothing was deleted: the ID that you typed is not the document's ID.",
        "Nichts wurde gelöscht: Die eingetippte ID ist nicht die des Dokuments."
    )
    static let conflict = ConsoleText("Another write came first", "Eine andere Änderung kam zuvor")
    static let conflictHint = ConsoleText(
        "The document has changed since you opened it. Choose a version for each key; the others are equal.",
        "Das Dokument hat sich geändert, seit Sie es geöffnet haben. Wählen Sie je Schlüssel; die übrigen sind gleich."
    )
    static let theirs = ConsoleText("On the server", "Auf dem Server")
    static let mine = ConsoleText("Yours", "Ihre Fassung")
    static let absent = ConsoleText("(no such key)", "(kein solcher Schlüssel)")
    static let saveChoice = ConsoleText("Save this choice", "Diese Auswahl speichern")
    static let conflictGone = ConsoleText(
        "The document has been deleted since you opened it. Your version is below; nothing was written.",
        "Das Dokument wurde gelöscht, seit Sie es geöffnet haben. Ihre Fassung steht unten; nichts wurde geschrieben."
    )
    static let noPage = ConsoleText("There is no such page", "Diese Seite gibt es nicht")
    static let failed = ConsoleText("The page can't be shown", "Die Seite kann nicht gezeigt werden")
    static let refused = ConsoleText("The request was refused", "Die Anfrage wurde abgelehnt")
}
