import BuiltInFiles
import TextKit

/// A failure broken down into slots, regardless of its wording: the actor, its operation, the object, the component,
/// and how it failed.
///
/// Small readers fill the slots independently of each other, from identifiers, names and plain words; no sentence has
/// to be known in advance. Each slot comes with its evidence. Advice follows from the slots.
package struct FailureFrame: Sendable, Equatable {
    /// The strength of the evidence for a slot.
    package enum Certainty: String, Sendable, Equatable { case certain, likely, possible }

    /// A value with its evidence.
    package struct Slot<Value: Sendable & Equatable>: Sendable, Equatable {
        package var value: Value
        /// The words, name or code of the text that indicate the value.
        package var evidence: String
        package var certainty: Certainty
        /// True if the value is only the beginning of the words in the text.
        var isCut = false
    }

    /// An actor or an object: its kind and, if the text has one, its name.
    package struct Thing: Sendable, Equatable {
        /// The ID of the kind: `timer-job`.
        package var kind: String
        /// The kind in words: "the timer job".
        package var noun: String
        package var name: String?
        /// True for a process that runs the code of many components, so that a sentence can omit it.
        var isHost = false
        /// The clause that names it; `nil` if a frame or an identifier does.
        var clause: Int?
        /// True if it only names the place of an event, as in "on the server 'A'".
        var isPlace = false

        /// The kind and the name.
        package var words: String { name.map { "\(noun) '\($0)'" } ?? noun }
    }

    /// A class of failures.
    package struct Class: Sendable, Equatable {
        /// The ID: `refused`.
        package var id: String
        /// The failure as a clause, with `{object}` in place of the object.
        package var clause: String
        /// True for a class with little information.
        package var isVague: Bool
        /// True for a class whose sentence is the clause of the text, which names more than the class does.
        package var isQuoted = false
    }

    package var actor: Slot<Thing>?
    package var operation: Slot<String>?
    package var object: Slot<Thing>?
    package var component: Slot<String>?
    package var failure: Slot<Class>?
    /// The owner of the code that threw: likely because of its frame, possible because of a caller's or only the type.
    package var thrower: Slot<Thing>?
    /// The message of the innermost exception.
    package var innermost: Slot<String>?
    /// The remedy that the message itself gives, such as "Run X.", as a sentence.
    package var remedy: Slot<String>?
    /// The advice that fits the slots, the most specific first.
    package var advice: [FrameAdvice] = []
    /// True if the text reports a success, so that its words and codes prove nothing.
    package var isHarmless = false
    /// True if the text counts failures and finds some.
    package private(set) var countsFailures = false
    /// True if the text is only a question.
    package private(set) var isQuestion = false
    /// True if a few words report a failure, and nothing else: no name, code or exception.
    package private(set) var isBare = false
    /// The connection between the object and the sign of the failure.
    private enum Binding { case stated, loose, apart }
    /// `loose` if the failure may concern another thing, so that the text's own words are better; `apart` if no clause
    /// connects them, so that a sentence with the object would be a guess.
    private var binding = Binding.stated
    /// True if nothing but the words of the text reports the failure: no code and no exception.
    private var isOfWords = false
    /// True if the fields of an error page or of a record report the failure.
    private var isOfPage = false
    /// The clause with the words of the failure as the text has it, for a sentence that would name nothing.
    package var statement: String?
    /// The clause that reports the failure in the text's own words, which are true whatever the failure concerns.
    package var ownWords: String?
    /// The text of the reason why a property could not be set or read.
    package var reason: String?

    /// Reads the slots of a text.
    ///
    /// - Parameters:
    ///   - text: The text, divided into words.
    ///   - chains: The exceptions in it.
    ///   - codes: The codes in it.
    ///   - process: The process of the row, if the text is from a row.
    init(_ text: FrameText, _ chains: [ExceptionChain], _ codes: [FoundCode], process: String?) {
        let tables = FrameTables.builtIn
        // An error that a program printed outweighs the text before it.
        let words = text.reported.flatMap { tables.failure(in: text, from: $0) } ?? tables.failure(in: text)
        let countsNone = text.counts.areSuccess || text.counts.findsNoFailure && codes.isEmpty && chains.isEmpty
        isHarmless =
            tables.findsSuccess(in: text, beside: codes) || words == nil && countsNone
            || codes.contains { $0.code.kind == .harmless }
        countsFailures = text.counts.findsFailures
        let types = chains.flatMap { $0.links.reversed().compactMap(\.type) } + text.exceptions
        let isFailure = !isHarmless || !chains.allSatisfy(\.frames.isEmpty)
        let read = isFailure ? tables.failure(in: text, words, types, codes) : nil
        let found = (isFailure && read?.slot.certainty != .likely ? tables.reported(in: text) : nil) ?? read
        failure = found?.slot
        isOfWords =
            found?.isSpoken == true && codes.isEmpty
            && chains.allSatisfy { $0.frames.isEmpty && $0.links.allSatisfy { $0.type == nil } }
        isQuestion = text.isQuestion
        // A question mentions a failure, and reports none.
        if isQuestion { failure?.certainty = .possible }
        let spoken = found.flatMap { $0.isSpoken ? $0.clause : nil }
        let place = failure?.certainty == .likely ? spoken ?? words?.clause : nil
        actor = tables.actor(in: text, process: process, failing: spoken ?? words?.clause)
        // A single vague word in a list of titles reports nothing.
        if isOfWords, failure?.value.isVague == true, failure?.certainty == .possible, text.isList {
            (failure, actor) = (nil, nil)
        }
        thrower = tables.thrower(of: Explanation.best(of: chains))
        remedy = isHarmless ? nil : tables.remedy(in: text, isFailure: failure != nil)
        // A text is of interest only if something failed, acted or advises a step, whatever else it names.
        guard !isEmpty else { return }
        object = tables.object(
            in: text,
            chains.flatMap(\.frames),
            failure: failure?.value.id,
            clause: place,
            words: words,
            except: actor?.value.name
        )
        if let property = text.property, ["not-set", "not-got"].contains(failure?.value.id) {
            let thing = Thing(kind: "setting", noun: "the property", name: property.name)
            object = Slot(value: thing, evidence: property.name, certainty: .likely)
            reason = property.reason.isEmpty ? nil : property.reason
        }
        if let found, let thing = object?.value { binding = Self.binding(of: thing, to: found, in: text, tables) }
        operation = tables.operation(in: text, actor?.value)
        statement = spoken.flatMap { clause in
            text.statement(of: clause) ?? (isOfWords ? text.statement(of: clause, minimum: 3) : nil)
                ?? (clause == text.reported ? text.statement(of: clause, minimum: 1, isEnglish: false) : nil)
        }
        // The clause of a name comes first if it reports a failure, too, as in "Failed to copy 'A'. The error was 404".
        let named = binding == .stated ? nil : object?.value.clause
        let failing = named == nil ? [] : tables.failingClauses(in: text, beside: codes)
        advisedObject = binding == .apart && named.map(failing.contains) != true ? nil : object?.value.kind
        // An exception that only an envelope names belongs to the first sentence.
        let clauses =
            [named.flatMap { failing.contains($0) ? $0 : nil }, words?.clause, found?.clause].compactMap(\.self)
            + text.messageClauses
        ownWords =
            statement ?? clauses.lazy.compactMap { text.statement(of: $0, minimum: 3) }.first
            ?? text.reported.flatMap { text.statement(of: $0, minimum: 1, isEnglish: false) }
        component = tables.component(
            in: text,
            actor?.value,
            object,
            failure: failure?.value.id,
            isApart: binding == .apart
        )
        // A noun of a cause that the text only supposes indicates nothing.
        if let remedy, let component, remedy.certainty == .possible, component.certainty == .possible,
            "\(remedy.evidence) \(remedy.value)".lowercased().contains(component.evidence.lowercased())
        {
            self.component = nil
        }
        isBare =
            failure != nil && !isQuestion && actor?.certainty != .likely && (object != nil || operation == nil)
            && chains.isEmpty && codes.isEmpty && text.words.count <= 12 && !text.mayName
        if chains.contains(where: { $0.links.count > 1 }), let link = chains.first?.innermost, !link.message.isEmpty {
            innermost = Slot(value: link.message, evidence: link.type ?? "the innermost exception", certainty: .certain)
        }
    }

    /// Returns how a clause, or a colon between two clauses, connects an object with the sign of a failure.
    ///
    /// A number and the type of an exception have no subject. A name before a colon is the subject of the clause after
    /// it, unless that clause has one of its own; a name after the colon only belongs to the clause before it.
    private static func binding(
        of thing: Thing,
        to found: FrameTables.FoundClass,
        in text: FrameText,
        _ tables: FrameTables
    ) -> Binding {
        guard let clause = thing.clause else { return .stated }
        guard let place = found.clause else { return thing.name == nil ? .stated : .loose }
        guard text.isJoined(clause, place) else { return .apart }
        if thing.name == nil { return .stated }
        // One clause has both: only its own words show whether the name is the subject or the object of its verb.
        if clause == place, let name = thing.name, text.statement(of: place, minimum: 3)?.contains(name) == false {
            return .stated
        }
        if clause >= place { return .loose }
        return found.isSpoken && !tables.hasNoun(otherThan: thing.kind, in: place, of: text) ? .stated : .apart
    }

    /// The kind of object that advice may be for: one that a clause connects with the failure, or a failure's own.
    private(set) var advisedObject: String?

    /// The component of a script that passed a value wrongly or does not know a command, or of a resource that refused
    /// its own settings: the component behind the cmdlet or the resource was not called.
    var scriptComponent: Slot<String>? {
        if let failure, failure.value.id == "unknown-command" {
            return Slot(value: "powershell", evidence: failure.evidence, certainty: .likely)
        }
        guard let actor, let kind = ["cmdlet": "powershell", "dsc-resource": "sharepoint-dsc"][actor.value.kind] else {
            return nil
        }
        let isOwn = actor.value.kind == "dsc-resource" && failure == nil
        guard isOwn || failure?.evidence == "ParameterBindingException" else { return nil }
        return Slot(value: kind, evidence: actor.evidence, certainty: .likely)
    }

    /// True if the text states a failure, in words or as a number of failures.
    package var statesFailure: Bool { countsFailures || failure?.certainty == .likely }

    /// True if advice for the class alone fits, because the text names nothing else, or quotes the failure.
    package var takesClassAdvice: Bool { isBare || failure?.value.isQuoted == true }

    /// True if the text lists the values that may be given, so that the reason of the failure is known.
    var listsValues: Bool { remedy.map { FrameTables.ofChoices.contains($0.evidence) } == true }

    /// True if the text neither reports a failure nor clearly names an actor or a remedy.
    package var isEmpty: Bool { failure == nil && actor?.certainty != .likely && remedy == nil }

    /// True if the text reports a failure or names an actor other than a cmdlet, which a script may only call.
    var isReport: Bool {
        !isHarmless && (failure != nil || actor?.certainty == .likely && actor?.value.kind != "cmdlet")
    }

    /// A slot in displayable form.
    package typealias ShownSlot = (name: String, kind: String?, text: String, evidence: String, certainty: Certainty)

    /// The slots that have a value, in the order of a sentence.
    package var slots: [ShownSlot] {
        let things = [("actor", actor), ("object", object), ("thrower", thrower)].map { name, slot in
            slot.map { (name, $0.value.kind, $0.value.words, $0.evidence, $0.certainty) as ShownSlot }
        }
        let texts = [("operation", operation), ("component", component), ("cause", innermost), ("remedy", remedy)]
            .map { name, slot in slot.map { (name, nil, $0.value, $0.evidence, $0.certainty) as ShownSlot } }
        let failure = failure.map {
            ("failure", $0.value.id, $0.value.clause, $0.evidence, $0.certainty) as ShownSlot
        }
        return [things[0], texts[0], things[1], texts[1], failure, things[2], texts[2], texts[3]].compactMap(\.self)
    }

    /// The failure in one sentence; `nil` if the text does not show how it failed.
    package var sentence: String? { isOfPage ? statement.map(Self.capitalized) : report?.sentence }

    /// True if the slots form a sentence, the class is clear, and the actor or the object has a name; or if both have a
    /// name.
    package var isInformative: Bool { report?.isInformative == true }

    /// The failure in one sentence, and whether the sentence has more information than a code.
    private var report: (sentence: String, isInformative: Bool)? {
        guard let sentence = sentenceOfSlots else { return sentenceOfClause.map { ($0, false) } }
        let (hasActor, hasName) = (actor?.certainty == .likely, object?.value.name != nil)
        return (sentence, failure?.certainty == .likely ? hasActor || hasName : hasActor && hasName)
    }

    /// The clause that reports the failure, unless the slots, a code or an exception contain more.
    private var sentenceOfClause: String? {
        guard let failure, failure.certainty == .likely, isOfWords else { return nil }
        if let statement { return Self.capitalized(statement) }
        guard !isVague else { return nil }
        let parts = failure.value.clause[...].parts(around: "{object}")
        return Self.capitalized(parts.map { "\($0)something\($1)" } ?? failure.value.clause)
    }

    /// The sentence that the slots form.
    private var sentenceOfSlots: String? {
        guard let failure, !isQuestion else { return nil }
        // Without a code or an exception, the clause has all information.
        if binding == .apart, !failure.value.isQuoted { return isOfWords ? nil : ownWords.map(Self.capitalized) }
        let isNamed = self.actor?.value.name != nil && self.actor?.value.name == object?.value.name
        let actor = isNamed ? nil : self.actor.flatMap { $0.value.isHost ? nil : $0 }
        // The actor may itself be the object of the failure.
        let isActor =
            actor != nil && object?.value.kind == actor?.value.kind
            || object == nil && Self.ofActors.contains(failure.value.id)
        let clause = failure.value.clause[...]
        let words: String
        let parts = clause.parts(around: "{object}")
        if isBare, !failure.value.isQuoted {
            if let statement, statement.utf8.count(where: { $0 == 0x20 }) >= 6 { return Self.capitalized(statement) }
            let words = statement ?? parts.map { $0 + (object?.value.noun ?? "something") + $1 } ?? String(clause)
            return Self.capitalized(words + "; the text alone does not name who or what was involved")
        }
        if failure.value.isQuoted, let statement {
            words = statement
            // A noun without a name proves nothing if only one word or a vague one shows how it failed.
        } else if let (before, after) = parts, let thing = isActor ? actor : object,
            !isVague || !isActor && !thing.value.isPlace,
            isActor || thing.value.name != nil || failure.certainty == .likely && !isVague
        {
            // A noun without a name has less information than the clause that contains it.
            // A clause that begins with the class that acts would name it twice.
            let isTwice = actor?.value.kind != "cmdlet" && actor?.value.name.map { ownWords?.has($0) == true } == true
            let own =
                thing.value.name == nil
                ? statement ?? ownWords : isActor || binding != .loose || isTwice ? nil : ownWords
            words = own ?? "\(before)\(thing.value.words)\(after)\(reason.map { ": \($0)" } ?? "")"
            if isActor { return Self.capitalized(words) }
        } else if let operation, operation.certainty == .likely || actor == nil {
            words = (operation.isCut ? statement ?? ownWords : nil) ?? Self.failed(operation.value)
        } else if let actor {
            // The operation of a cmdlet is only its own name.
            if isVague { return Self.capitalized("\(actor.value.words) failed") }
            words = ownWords ?? parts.map { "\($0)something\($1)" } ?? String(clause)
        } else {
            return nil
        }
        return Self.capitalized(actor.map { "\($0.value.words): \(words)" } ?? words)
    }

    /// Takes the failure of an error page from its status and its fields.
    mutating func take(_ page: ServerPage, _ codes: [FoundCode]) {
        let (key, kinds) = (CodeKey(ArraySlice("http:\(page.status.prefix(3))".utf8)), FrameTables.builtIn.failures)
        let kind = kinds.first { $0.codes.contains { $0 == key } } ?? kinds.first { $0.id == "server-error" }
        guard let kind else { return }
        let value = Class(id: kind.id, clause: kind.name, isVague: false)
        let evidence = page.status.isEmpty ? "the fields of an error page" : "HTTP Error \(page.status)"
        failure = Slot(value: value, evidence: evidence, certainty: .likely)
        (statement, isOfPage) = (page.sentence(codes), true)
    }

    /// Takes the level of a record, and the first sentence of its message, as the failure.
    mutating func take(_ record: EventRecord) {
        let value = Class(id: "recorded", clause: "the record reports an error", isVague: true)
        failure = failure ?? Slot(value: value, evidence: record.level, certainty: .likely)
        statement = "\(record.words)\(record.message.map { ": \($0)" } ?? "")"
        isOfPage = true
    }

    /// Returns a text without a cause that it only supposes, and the advice about it, which indicate no component.
    func withoutGuess(_ text: String) -> String {
        guard let remedy, remedy.certainty == .possible else { return text }
        return text.replacing(remedy.evidence, with: "").replacing(remedy.value, with: "")
    }

    /// The classes of failures that can affect the actor itself.
    private static let ofActors = "skipped cancelled not-started".wordSet

    private var isVague: Bool { failure?.value.isVague == true }

    /// Returns the failure of an operation: `could not read the list`, `failed while reading the list`.
    private static func failed(_ operation: String) -> String {
        let verb = operation.prefix { $0 != " " }
        let isGerund = verb.count > 5 && verb.hasSuffix("ing") && !verb.hasSuffix("string")
        return "\(isGerund ? "failed while" : "could not") \(operation)"
    }

    private static func capitalized(_ words: String) -> String {
        words.prefix(1).uppercased() + words.dropFirst() + (words.hasSuffix("。") ? "" : ".")
    }

    /// Chooses the advice for the slots and the final component.
    mutating func advise(_ component: Component?, _ codes: [FoundCode]) {
        advice = isQuestion ? [] : FrameTables.builtIn.advice(for: self, component, codes)
    }
}

/// Advice on a combination of slots.
package struct FrameAdvice: Sendable, Equatable {
    /// A short name that stays the same.
    package var id: String
    /// The failure in words.
    package var name: String
    /// The required values of slots; an empty list allows anything.
    var failures: [String] = []
    var objects: [String] = []
    var components: [String] = []
    var actors: [String] = []
    /// True if the object must have a name.
    var needsName = false
    /// The usual causes, most frequent first.
    package var causes: [String] = []
    /// The recommended checks, which change nothing.
    package var checks: [Check] = []
    /// The origin of the advice.
    package var source = ""
    /// A text that leads to this advice; `nil` if a row without its process gives too little information.
    var example: String?

    /// Returns whether a failure has the required values.
    func fits(_ frame: FailureFrame, _ component: Component?) -> Bool {
        func meets(_ allowed: [String], _ value: String?) -> Bool {
            allowed.isEmpty || value.map(allowed.contains) ?? false
        }
        return meets(failures, frame.failure?.value.id) && meets(objects, frame.advisedObject)
            && meets(components, component?.id) && meets(actors, frame.actor?.value.kind)
            && (!needsName || frame.object?.value.name != nil) && (frame.takesClassAdvice || !isForClass)
    }

    /// The specificity: the number of slots that must have a value, where the object and the component count most.
    package var weight: Int {
        (failures.isEmpty ? 0 : 2) + (objects.isEmpty ? 0 : 4) + (components.isEmpty ? 0 : 4) + (actors.isEmpty ? 0 : 3)
    }

    /// True if the advice concerns more than a class of failures, so that it takes precedence over the usual causes of
    /// a code.
    package var isSpecific: Bool { weight > 4 }
    /// Whether it is for a component and more, so that it outranks a sentence of a product.
    var outranksSentences: Bool { isForComponent && weight > 6 }
    /// True if the advice is for a class of failures alone, so that it is given only for a bare one.
    var isForClass: Bool { weight == 2 }
    /// True if the advice is for certain components or actors, so that it takes precedence over a product's own code.
    var isForComponent: Bool { isSpecific && !(components.isEmpty && actors.isEmpty) }
}

/// The tables for the readers of a frame, from the files in `Rules/Frames`, which consist of sections: ``SectionFile``.
///
/// ```
/// [absent] {object} was not found
/// words: could not find; does not exist
/// exception: FileNotFoundException
/// code: win32:2
/// ```
///
/// A failure has phrases, exceptions, codes, kinds of codes, categories of PowerShell's errors and, in `concerns`, the kinds of objects that it can affect;
/// a class that `yields` only introduces a code or an exception, one that `quotes` has the clause of the text as its
/// sentence, and the words of an `event` count only in a report. An actor has beginnings (`prefix`) and ends (`suffix`)
/// of names, and processes; an object has nouns (`words`), parts and forms (`form`) of names, schemes of addresses,
/// beginnings of frames, and the only classes that affect it (`failure`); a thrower has beginnings of frames and a
/// check. Addresses with a prefix of `help` are not objects, and an object of `other` keeps its own words.
/// `component` is that of an actor or a scheme, and `perhaps` counts only if nothing else indicates one. Advice names
/// the slots that must fit (`failure`, `object`, `component`, `actor`, and an object with a name: `named: yes`), causes,
/// checks, a source and an example.
struct FrameTables: Sendable {
    static let builtIn = FrameTables(BuiltInFile.frames.map { ($0.name, $0.text) })

    /// A kind of failure, actor or object, with the signs that identify it.
    struct Kind: Sendable {
        var id: String
        var name: String
        var exceptions: [String] = []
        var codes: [CodeKey] = []
        var kinds: [FailureCode.Kind] = []
        /// The categories of PowerShell's errors.
        var categories: [String] = []
        /// The kinds of objects that the failure can affect; an empty list allows any.
        var concerns: [String] = []
        var suffixes: [String] = []
        var prefixes: [String] = []
        /// The parts of names.
        var parts: [String] = []
        var processes: [String] = []
        var schemes: [String] = []
        var frames: [String] = []
        var checks: [Check] = []
        var component: String?
        /// A component that counts only if nothing else indicates one.
        var perhaps: String?
        /// True for a class with little information.
        var isVague = false
        /// True for a class whose words only introduce a code or an exception.
        var yields = false
        /// True for a class whose sentence is the clause of the text.
        var isQuoted = false
        /// True for a class whose words also occur in advice and documentation: ``FrameText/reportsEvent(_:)``.
        var isOfEvents = false
        /// True for a process that runs the code of many components.
        var isHost = false
        /// True for an actor that is identified by a sign other than its name.
        var isNameless = false
        /// The classes of failures that can affect an object; an empty list allows any.
        var failures: [String] = []
        /// The forms of unquoted names next to the nouns of an object.
        var forms: [FrameText.Name.Form] = []

        /// The information that the words carry: any other class is more informative than one of events.
        var rank: Int { isVague ? 0 : isOfEvents ? 1 : 2 }
        /// True if the words alone show how it failed.
        var isClear: Bool { rank == 2 && !yields }

        /// Returns whether an object of this kind can have such a name: an account is not named by an address.
        func hasNames(of form: FrameText.Name.Form) -> Bool { form == .quoted || form == .guid || forms.contains(form) }

        /// Returns an actor or object of this kind.
        func thing(named name: String? = nil) -> FailureFrame.Thing {
            .init(kind: id, noun: self.name, name: name, isHost: isHost)
        }
    }

    private(set) var failures: [Kind] = []
    private(set) var actors: [Kind] = []
    private(set) var objects: [Kind] = []
    private(set) var throwers: [Kind] = []
    private(set) var entries: [FrameAdvice] = []
    /// The components by the nouns in identifiers, longest noun first.
    private(set) var nouns: [(noun: String, component: String)] = []
    /// The components by the nouns and namespaces of a module's cmdlets, which outrank all other nouns.
    private(set) var modules: [(noun: String, component: String)] = []
    private(set) var failurePatterns = WordPatterns()
    private(set) var objectPatterns = WordPatterns()
    private(set) var successPatterns = WordPatterns()
    /// The words of something that is as intended.
    private(set) var intentionPatterns = WordPatterns()
    private(set) var envelopes = TextEnvelopes()
    /// The meaning of the envelopes of the section being read.
    private var envelopeMeaning = TextEnvelopes.Meaning()
    /// Lines without information; correct files have none.
    private(set) var unread: [Substring] = []

    init(_ files: [(name: String, text: String)]) {
        for (name, text) in files {
            let file = SectionFile(text)
            unread += file.unreadBeforeSections
            for section in file.sections.indices {
                let rest = file.read(section) { line in
                    switch name {
                    case "failures.txt": read(line, into: \.failures)
                    case "actors.txt": read(line, into: \.actors)
                    case "objects.txt": read(line, into: \.objects)
                    case "throwers.txt": read(line, into: \.throwers)
                    case "advice.txt": readAdvice(line)
                    case "envelopes.txt": readEnvelope(line)
                    default: false
                    }
                }
                unread += rest
            }
        }
        nouns = order(of: nouns.count) { nouns[$0].noun.utf8.count > nouns[$1].noun.utf8.count }.map { nouns[$0] }
        failurePatterns.finish()
        objectPatterns.finish(corrects: false)
        successPatterns.finish()
        intentionPatterns.finish()
    }

    private mutating func read(_ line: SectionFile.Content, into list: WritableKeyPath<Self, [Kind]>) -> Bool {
        if case .heading(let id, let name) = line {
            self[keyPath: list].append(Kind(id: id, name: name))
            return true
        }
        guard let last = self[keyPath: list].indices.last else { return false }
        if case .check(let check) = line { self[keyPath: list][last].checks.append(check) }
        guard case .member(let key, let value) = line else { return list == \.throwers }
        let items = value.items(UInt8(ascii: ","))
        func take<Value>(_ values: WritableKeyPath<Kind, [Value]>, _ read: (String) -> Value?) -> Bool {
            let known = items.compactMap(read)
            self[keyPath: list][last][keyPath: values] += known
            return known.count == items.count
        }
        switch key {
        case "words":
            var patterns = list == \.objects ? \Self.objectPatterns : \.failurePatterns
            if self[keyPath: list][last].id == "success" { patterns = \.successPatterns }
            if self[keyPath: list][last].id == "intended" { patterns = \.intentionPatterns }
            for phrase in value.items(UInt8(ascii: ";")) { self[keyPath: patterns].add(phrase, last) }
        case "exception": self[keyPath: list][last].exceptions += items
        case "code": return take(\.codes) { CodeKey(ArraySlice($0.utf8)) }
        case "category": self[keyPath: list][last].categories += items
        case "kind": return take(\.kinds) { FailureCode.Kind(rawValue: $0) }
        case "form": return take(\.forms) { FrameText.Name.Form(rawValue: $0) }
        case "concerns": self[keyPath: list][last].concerns += items
        case "failure": self[keyPath: list][last].failures += items
        case "yields": self[keyPath: list][last].yields = value == "yes"
        case "suffix": self[keyPath: list][last].suffixes += items
        case "part": self[keyPath: list][last].parts += items
        case "prefix": self[keyPath: list][last].prefixes += items
        case "process": self[keyPath: list][last].processes += items
        case "scheme": self[keyPath: list][last].schemes += items
        case "frame": self[keyPath: list][last].frames += items
        case "component": self[keyPath: list][last].component = String(value)
        case "host": self[keyPath: list][last].isHost = value == "yes"
        case "vague": self[keyPath: list][last].isVague = value == "yes"
        case "quotes": self[keyPath: list][last].isQuoted = value == "yes"
        case "event": self[keyPath: list][last].isOfEvents = value == "yes"
        case "named": self[keyPath: list][last].isNameless = value == "no"
        case "perhaps": self[keyPath: list][last].perhaps = String(value)
        default:
            // A component with the nouns that indicate it.
            switch self[keyPath: list][last].id {
            case "nouns": nouns += items.map { ($0, String(key)) }
            case "modules": modules += items.map { ($0, String(key)) }
            default: return false
            }
        }
        return true
    }

    private mutating func readEnvelope(_ line: SectionFile.Content) -> Bool {
        switch line {
        case .heading: envelopeMeaning = .init()
        case .member("exception", let value): envelopeMeaning.exception = String(value)
        case .member("reports", let value): envelopeMeaning.reports = value == "yes"
        case .member("text", let value): envelopes.add(String(value), envelopeMeaning)
        default: return false
        }
        return true
    }

    private mutating func readAdvice(_ line: SectionFile.Content) -> Bool {
        if case .heading(let id, let name) = line {
            entries.append(FrameAdvice(id: id, name: name))
            return true
        }
        guard let last = entries.indices.last else { return false }
        switch line {
        case .check(let check): entries[last].checks.append(check)
        case .member("failure", let value): entries[last].failures = value.items(UInt8(ascii: ","))
        case .member("object", let value): entries[last].objects = value.items(UInt8(ascii: ","))
        case .member("component", let value): entries[last].components = value.items(UInt8(ascii: ","))
        case .member("actor", let value): entries[last].actors = value.items(UInt8(ascii: ","))
        case .member("named", let value): entries[last].needsName = value == "yes"
        case .member("usually", let value): entries[last].causes.append(String(value))
        case .member("source", let value): entries[last].source = String(value)
        case .member("example", let value): entries[last].example = String(value)
        case .heading, .member: return false
        }
        return true
    }

    /// Returns the entries whose conditions the slots meet, the most specific first.
    ///
    /// A component's own cause for a class of failures, or for the class of a code, is an entry without checks, because
    /// the component's checks apply.
    func advice(for frame: FailureFrame, _ component: Component?, _ codes: [FoundCode]) -> [FrameAdvice] {
        var fitting = entries.filter { $0.fits(frame, component) }
        let classes = codes.compactMap(\.code.kind).compactMap { kind in failures.first { $0.kinds.contains(kind) }?.id
        }
        for id in [frame.failure?.value.id].compactMap(\.self) + classes {
            guard let component, let cause = component.usually[id] else { continue }
            var own = FrameAdvice(id: component.id, name: component.name, causes: [cause], source: "our own words")
            (own.failures, own.components) = ([id], [component.id])
            fitting.append(own)
            break
        }
        return order(of: fitting.count) { fitting[$0].weight > fitting[$1].weight }.map { fitting[$0] }
    }
}
