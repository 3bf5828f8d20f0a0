import HTTPService
import JSONText
import TextKit

/// The pages for the conflicts of an offline copy, each shown beside the present document, with a choice for each key.
///
/// The server does not keep the list of conflicts; the page's forms send it back and forth.
enum ConflictPages {
    static let all = [
        ConsolePage(path, in: .conflicts) { context in try await dropPage(context) },
        ConsolePage(path, .post, isReading: true) { context in
            guard let list = try ConflictList(context) else {
                return try await dropPage(context, failure: context[.noConflictFile])
            }
            return try await page(context, list)
        },
        ConsolePage(path + "/choices", .post) { context in
            guard let list = try ConflictList(context) else {
                return try await dropPage(context, failure: context[.noConflictFile])
            }
            return try await write(context, list)
        },
    ]

    private static let path = "/console/conflicts"
    /// The number of conflicts on a page, which is limited because each of them needs a request.
    private static let pageCount = 50

    // MARK: The file

    private static func dropPage(_ context: PageContext, failure: String? = nil) async throws -> PageAnswer {
        let names = try await context.get(ConsolePath.api("collections"))["collections"].elements.compactMap(\.text)
            .filter { context.user.may("read", in: $0) }
        let chosen = context.form["collection"]
        return .page(context[.conflicts], status: failure == nil ? .ok : ResponseStatus(422)) {
            if let failure { HTML("p", .class("refusal"), .init("role", "alert")) { failure } }
            HTML("p") { context[.conflictsHint] }
            HTML("pre") { "fastctl jobs issues K7Z3 -o json > conflicts.json" }
            if names.isEmpty {
                HTML("p") { context[.noCollections] }
            } else {
                context.form(path, .class("editor"), .init("data-upload", "file"), isReading: true) {
                    HTML("label", .init("for", "collection")) { context[.collection] }
                    HTML("select", .id("collection"), .name("collection")) {
                        for name in names {
                            HTML("option", [.value(name)] + HTML.Attribute.flag("selected", name == chosen)) { name }
                        }
                    }
                    HTML("label", .init("for", "file")) { context[.conflictFileText] }
                    HTML(
                        "textarea",
                        .id("file"),
                        .name("file"),
                        .init("rows", "8"),
                        .init("spellcheck", "false"),
                        .init("required")
                    ) { HTML(verbatim: context.form["file"]) }
                    HTML("label", .init("for", "conflict-file")) { context[.conflictFile] }
                    HTML("input", .type("file"), .id("conflict-file"))
                    HTML("button", .class("main")) { context[.showConflicts] }
                }
            }
        }
    }

    // MARK: Both versions

    /// A conflict, and the present document.
    private struct Comparison {
        let conflict: Conflict
        let current: JSONValue?
        let tag: String
        let proposal: Proposal
        var refusal: APIRefusal?
    }

    /// The outcome of a choice.
    private enum Ending: Hashable { case written, left, notWritten }

    private static func compare(
        _ context: PageContext,
        _ list: ConflictList,
        _ conflict: Conflict
    ) async throws -> Comparison {
        do {
            let answer = try await context.send(.get, list.api(conflict), allowing: [404])
            let current = answer.status == 404 ? nil : try JSONValue(answer.body)
            return Comparison(
                conflict: conflict,
                current: current,
                tag: answer.status == 404 ? "" : answer.headers["ETag"] ?? "",
                proposal: try Proposal(conflict, current)
            )
        } catch let refusal as APIRefusal where refusal.status != 401 {
            return Comparison(conflict: conflict, current: nil, tag: "", proposal: .none, refusal: refusal)
        }
    }

    private static func page(
        _ context: PageContext,
        _ list: ConflictList,
        endings: [Int: Ending] = [:],
        refusals: [Int: APIRefusal] = [:]
    ) async throws -> PageAnswer {
        let shown = list.conflicts.dropFirst(list.start).prefix(pageCount)
        var comparisons: [Comparison] = []
        for conflict in shown where endings[conflict.number] != .written {
            var comparison = try await compare(context, list, conflict)
            comparison.refusal = refusals[conflict.number] ?? comparison.refusal
            comparisons.append(comparison)
        }
        let all = comparisons
        let hasChoice = context.isWritable && all.contains { isChoosable($0, list, context) }
        let end = list.start + shown.count
        return .page(context[.conflicts]) {
            HTML("p") {
                HTML("a", .href(ConsolePath.of("collections", list.collection))) { HTML("bdi") { list.collection } }
            }
            if !endings.isEmpty {
                HTML("p", .class("note"), .init("role", "status")) {
                    let counts = [Ending.written, .left, .notWritten].map { kind in
                        "\(endings.values.count { $0 == kind })"
                    }
                    context[.conflictsWritten, counts[0], counts[1], counts[2]]
                }
            }
            HTML("p") {
                context[.conflictsFound, "\(list.conflicts.count)", "\(list.others)"]
                if shown.count < list.conflicts.count {
                    " " + context[.conflictsShown, "\(list.start + 1)", "\(end)"]
                }
            }
            for defect in list.defects { HTML("p", .class("warn")) { context[.conflictUnreadable, defect] } }
            if hasChoice {
                context.form(path + "/choices", .class("editor")) {
                    list.fields(startingAt: list.start)
                    for comparison in all { section(context, list, comparison) }
                    HTML("p", .class("detail")) { context[.conflictsWriteHint] }
                    HTML("button", .class("main")) { context[.saveChoice] }
                }
            } else {
                for comparison in all { section(context, list, comparison) }
            }
            if end < list.conflicts.count {
                context.form(path, isReading: true) {
                    list.fields(startingAt: end)
                    HTML("button") { context[.nextPage] }
                }
            }
        }
    }

    /// Returns whether the user has the right to write either version.
    private static func isChoosable(_ comparison: Comparison, _ list: ConflictList, _ context: PageContext) -> Bool {
        let verbs: [String]
        switch comparison.proposal {
        // The API replaces a document only for users who may also insert one.
        case .merge, .creation: verbs = ["insert", "update"]
        case .removal: verbs = ["delete"]
        case .none, .equal, .gone: return false
        }
        return context.isWritable && verbs.allSatisfy { context.user.may($0, in: list.collection) }
    }

    private static func section(_ context: PageContext, _ list: ConflictList, _ comparison: Comparison) -> HTML {
        let conflict = comparison.conflict
        let title = "conflict-\(conflict.number)"
        let isChoosable = isChoosable(comparison, list, context)
        func choice(_ key: String) -> DocumentPages.ChoiceOfVersions? {
            // Without a choice, the server's version is kept.
            isChoosable ? .init(name: "choice \(conflict.number) \(key)", takesMine: false) : nil
        }
        return HTML("section", .init("aria-labelledby", title)) {
            HTML("h2", .id(title)) {
                HTML("a", .href(DocumentPages.path(list.collection, conflict.id))) { HTML("bdi") { conflict.id } }
            }
            if let refusal = comparison.refusal { refusal.html }
            if isChoosable {
                HTML("input", .type("hidden"), .name("tag \(conflict.number)"), .value(comparison.tag))
            }
            switch comparison.proposal {
            case .none: HTML()
            case .equal: HTML("p") { context[.conflictEqual] }
            case .gone(let mine):
                HTML("p") { context[.conflictIsGone] }
                HTML("pre") { JSONPreview.indented(mine) }
            case .merge(let mine, let keys):
                DocumentPages.versions(context, keys, comparison.current ?? .object([]), mine, choice: choice)
            case .removal:
                HTML("p") { context[.conflictRemoval] }
                HTML("pre") { JSONPreview.indented(comparison.current ?? .null) }
                sides(context, conflict, isChoosable, theirs: .keepDocument, mine: .removeDocument)
            case .creation(let mine):
                HTML("p") { context[.conflictCreation] }
                HTML("pre") { JSONPreview.indented(mine) }
                sides(context, conflict, isChoosable, theirs: .leaveRemoved, mine: .createDocument)
            }
        }
    }

    /// Returns the choice between two versions, one of which is a removal.
    private static func sides(
        _ context: PageContext,
        _ conflict: Conflict,
        _ isChoosable: Bool,
        theirs: ConsoleText,
        mine: ConsoleText
    ) -> HTML {
        guard isChoosable else { return HTML() }
        return HTML("fieldset") {
            HTML("legend") { context[.conflict] }
            for (side, text) in [("theirs", theirs), ("mine", mine)] {
                HTML("label") {
                    HTML(
                        "input",
                        [.type("radio"), .name("side \(conflict.number)"), .value(side)]
                            + HTML.Attribute.flag("checked", side == "theirs")
                    )
                    " \(context[text])"
                }
            }
        }
    }

    // MARK: Writing

    /// Writes those documents on a page for which the user has chosen the copy's version, each only if it is unchanged
    /// since it was shown, and shows the remaining conflicts.
    private static func write(_ context: PageContext, _ list: ConflictList) async throws -> PageAnswer {
        let chosen = Set(context.form.all.filter { $0.value == "mine" }.map { Array($0.name.utf8) })
        let tags = context.form.all.reduce(into: [String: String]()) { $0[$1.name] = $1.value }
        var endings: [Int: Ending] = [:]
        var refusals: [Int: APIRefusal] = [:]
        for conflict in list.conflicts.dropFirst(list.start).prefix(pageCount) {
            // For a document without a tag, there was no choice.
            guard let tag = tags["tag \(conflict.number)"] else { continue }
            let comparison = try await compare(context, list, conflict)
            do {
                let isWritten = try await write(context, list, comparison, tag: tag, chosen)
                endings[conflict.number] = isWritten ? .written : .left
            } catch let refusal as APIRefusal where refusal.status != 401 {
                endings[conflict.number] = .notWritten
                refusals[conflict.number] = refusal
            }
        }
        return try await page(context, list, endings: endings, refusals: refusals)
    }

    /// Writes a document if the user has chosen to do so, and returns whether it was written; throws if the API refuses
    /// it.
    private static func write(
        _ context: PageContext,
        _ list: ConflictList,
        _ comparison: Comparison,
        tag: String,
        _ chosen: Set<[UInt8]>
    ) async throws -> Bool {
        let number = comparison.conflict.number
        func isChosen(_ name: String) -> Bool { chosen.contains(Array(name.utf8)) }
        let hasChoice =
            isChosen("side \(number)") || chosen.contains { $0.starts(with: Array("choice \(number) ".utf8)) }
        guard hasChoice else { return false }
        if let refusal = comparison.refusal { throw refusal }
        guard comparison.tag == tag else {
            throw APIRefusal(ServiceProblem(.conflict, "changed", context[.conflictMoved]))
        }
        let api = list.api(comparison.conflict)
        switch comparison.proposal {
        case .merge(let mine, let keys):
            let shown = Set(keys.map { Array($0.utf8) })
            let merged = DocumentPages.merged(mine, comparison.current ?? .object([])) { key in
                shown.contains(Array(key.utf8)) && !isChosen("choice \(number) \(key)")
            }
            let json = JSONPreview.json(merged, .compact)
            _ = try await context.send(.put, api, headers: ["If-Match": tag], body: json)
        case .removal: _ = try await context.send(.delete, api, headers: ["If-Match": tag])
        case .creation(let mine):
            let json = JSONPreview.json(mine, .compact)
            _ = try await context.send(.put, api, headers: ["If-None-Match": "*"], body: json)
        case .none, .equal, .gone: return false
        }
        return true
    }
}

// MARK: - Conflicts

/// A conflict of a push: the keys that differed in the copy and at the origin.
struct Conflict: Sendable, Hashable {
    /// One side of a conflict.
    enum Side: Sendable, Hashable {
        case removed
        /// The keys that differ, or all keys if the document was removed on the other side.
        case keys(JSONValue)
    }

    /// The position of the conflict in the file.
    let number: Int
    let id: String
    let here: Side
    let origin: Side

    /// Reads an entry of `fastctl jobs issues JOB -o json`; `nil` if it does not contain both sides, for example
    /// because one was too large.
    init?(_ number: Int, _ entry: JSONValue) {
        guard let id = entry["documentID"].text, let here = Self.side(entry["conflict"], "here"),
            let origin = Self.side(entry["conflict"], "origin")
        else { return nil }
        (self.number, self.id, self.here, self.origin) = (number, id, here, origin)
    }

    private static func side(_ conflict: JSONValue, _ name: String) -> Side? {
        guard let member = conflict.members.first(where: { $0.key == name }) else { return nil }
        switch member.value {
        case .null: return .removed
        case .object: return .keys(member.value)
        default: return nil
        }
    }
}

/// The change that would turn a document into the copy's version.
enum Proposal: Hashable {
    case none
    case equal
    /// The document no longer exists, and the list has only a part of the copy's version.
    case gone(JSONValue)
    /// The document must be written with the copy's values for the keys that differ.
    case merge(JSONValue, keys: [String])
    case removal
    case creation(JSONValue)

    init(_ conflict: Conflict, _ current: JSONValue?) throws(JSONError) {
        switch (conflict.here, current) {
        case (.removed, nil): self = .equal
        case (.removed, .some): self = .removal
        case (.keys(let here), nil): self = conflict.origin == .removed ? .creation(here) : .gone(here)
        case (.keys(let here), .some(let current)):
            var mine = here
            if case .keys(let origin) = conflict.origin {
                // The keys that only the origin has were removed in the copy.
                let named = Set((here.members + origin.members).map { Array($0.key.utf8) })
                let others = current.members.filter { !named.contains(Array($0.key.utf8)) }
                mine = .object(others + here.members)
            }
            let difference = try JSONDifference(
                from: JSONPreview.json(current, .compact),
                to: JSONPreview.json(mine, .compact)
            )
            let keys = difference.changed + difference.added + difference.removed
            self = keys.isEmpty ? .equal : .merge(mine, keys: keys)
        }
    }
}

/// The conflicts in a file, which is kept in the user's page.
private struct ConflictList {
    let collection: String
    let text: String
    /// The number of the page's first conflict.
    let start: Int
    let conflicts: [Conflict]
    /// The number of entries that are not conflicts.
    let others: Int
    /// The IDs of conflicts that can't be shown.
    let defects: [String]

    /// Reads the form of a page; `nil` if its file is not a list of issues.
    init?(_ context: PageContext) throws {
        collection = context.form["collection"]
        text = context.form["file"]
        start = max(0, Int(context.form["start"]) ?? 0)
        guard !collection.isEmpty, let entries = Self.entries(of: text) else { return nil }
        var (conflicts, defects, others): ([Conflict], [String], Int) = ([], [], 0)
        for (number, entry) in entries.enumerated() {
            guard entry["code"].text == "version-conflict" else {
                others += 1
                continue
            }
            if let conflict = Conflict(number, entry) {
                conflicts.append(conflict)
            } else {
                defects.append(entry["documentID"].text ?? "\(number + 1)")
            }
        }
        (self.conflicts, self.defects, self.others) = (conflicts, defects, others)
    }

    /// Returns the entries of a JSON array, or of lines; `nil` if the text is neither.
    private static func entries(of text: String) -> [JSONValue]? {
        if case .array(let elements)? = try? JSONValue(Array(text.utf8)) { return elements }
        var entries: [JSONValue] = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) where line.contains(where: { $0 > 0x20 }) {
            guard let entry = try? JSONValue(Array(line)), case .object = entry else { return nil }
            entries.append(entry)
        }
        return entries.isEmpty ? nil : entries
    }

    func api(_ conflict: Conflict) -> String {
        ConsolePath.api("collections", collection, "documents", conflict.id)
    }

    /// Returns the list as fields of a form.
    func fields(startingAt start: Int) -> HTML {
        HTML("input", .type("hidden"), .name("collection"), .value(collection))
            + HTML("input", .type("hidden"), .name("start"), .value("\(start)"))
            + HTML("input", .type("hidden"), .name("file"), .value(text))
    }
}

// MARK: - Texts

extension ConsoleText {
    static let conflicts = ConsoleText("Conflicts", "Konflikte")
    static let conflictsHint = ConsoleText(
        "Drop the list of issues from an offline copy's push here. Each conflict is shown beside the current document.",
        "Hierher gehört die Liste eines Pushs einer Offline-Kopie. Jeder Konflikt steht neben dem jetzigen Dokument."
    )
    static let conflictFileText = ConsoleText("The list as JSON", "Die Liste als JSON")
    static let conflictFile = ConsoleText("File with the list", "Datei mit der Liste")
    static let showConflicts = ConsoleText("Show the conflicts", "Konflikte zeigen")
    static let noConflictFile = ConsoleText(
        "This is not a list of issues: drop the output of 'fastctl jobs issues JOB -o json'.",
        "Das ist keine Liste von Problemen: Hierher gehört die Ausgabe von 'fastctl jobs issues JOB -o json'."
    )
    static let conflictsFound = ConsoleText(
        "{} conflicts can be shown; {} other issues in the list are not conflicts.",
        "{} Konflikte sind darstellbar; {} andere Einträge der Liste sind keine Konflikte."
    )
    static let conflictsShown = ConsoleText("This page shows {} to {}.", "Diese Seite zeigt {} bis {}.")
    static let conflictUnreadable = ConsoleText(
        "A conflict that can't be shown, because its versions are not in the list in full: {}",
        "Ein nicht darstellbarer Konflikt, weil seine Fassungen nicht vollständig in der Liste stehen: {}"
    )
    static let conflictsWritten = ConsoleText(
        "{} documents were written, {} stay as they are, {} could not be written.",
        "{} Dokumente wurden geschrieben, {} bleiben, wie sie sind, {} konnten nicht geschrieben werden."
    )
    static let conflictsWriteHint = ConsoleText(
        "A document is written only if you choose your version of a key, and only if it is still as shown here.",
        "Geschrieben wird nur, wo Sie Ihre Fassung wählen, und nur, wenn das Dokument noch so ist wie hier gezeigt."
    )
    static let conflictEqual = ConsoleText(
        "Both are now equal: there is nothing to decide.",
        "Beide sind inzwischen gleich: Es gibt nichts zu entscheiden."
    )
    static let conflictIsGone = ConsoleText(
        "The document is not on the server, and the list has only these keys of your version.",
        "Das Dokument ist nicht auf dem Server, und die Liste hat nur diese Schlüssel Ihrer Fassung."
    )
    static let conflictRemoval = ConsoleText(
        "You removed this document in the copy; on the server it was changed.",
        "Sie haben dieses Dokument in der Kopie entfernt; auf dem Server wurde es geändert."
    )
    static let conflictCreation = ConsoleText(
        "You changed this document in the copy; on the server it was removed.",
        "Sie haben dieses Dokument in der Kopie geändert; auf dem Server wurde es entfernt."
    )
    static let keepDocument = ConsoleText("Keep it on the server", "Auf dem Server behalten")
    static let removeDocument = ConsoleText("Remove it there too", "Auch dort entfernen")
    static let leaveRemoved = ConsoleText("Leave it removed", "Entfernt lassen")
    static let createDocument = ConsoleText("Create it again", "Wieder anlegen")
    static let conflictMoved = ConsoleText(
        "the document has changed since it was shown; nothing was written, choose again",
        "Das Dokument hat sich geändert, seit es gezeigt wurde; nichts wurde geschrieben, bitte neu wählen"
    )
}
