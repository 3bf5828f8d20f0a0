import TextKit

/// The readers of a frame other than that of the failure: each fills one slot, from the text alone.
extension FrameTables {
    // MARK: The actor

    /// Returns the first class, cmdlet or resource whose name reveals its kind, or else the process; the last cmdlet
    /// before the failure comes first, and one within a later sentence is not the actor.
    func actor(in text: FrameText, process: String?, failing clause: Int?) -> FailureFrame.Slot<FailureFrame.Thing>? {
        let near = text.identifiers.last { name, place in
            guard let clause, let own = text.words.dropFirst(place).first?.clause else { return false }
            return Self.isCmdlet(name) && (own <= clause || text.isJoined(own, clause))
        }
        for identifier in [near].compactMap(\.self) + text.identifiers {
            // The class, its method, or the last part of its namespace.
            let parts = identifier.text.utf8.split(separator: UInt8(ascii: ".")).map { Substring($0) }
            // The noun of Get-PnPWebPart is not a web part that acts.
            let isCmdlet = Self.isCmdlet(identifier.text)
            for kind in actors where !isCmdlet || kind.id == "cmdlet" {
                guard let name = Self.name(of: kind, in: identifier.text, parts) else { continue }
                // A cmdlet that the text advises did not run, and one of another sentence may have succeeded.
                let isLater = clause.map { text.isInSentence(identifier, after: $0) } == true
                if kind.id == "cmdlet", isLater || isAdvised(identifier.place, in: text) { continue }
                let thing = kind.thing(named: kind.isNameless ? nil : name)
                return .init(value: thing, evidence: identifier.text, certainty: .likely)
            }
        }
        guard let process = process?.lowercased(), !process.isEmpty,
            let kind = actors.first(where: { $0.processes.contains(where: process.hasPrefix) })
        else { return nil }
        return .init(value: kind.thing(), evidence: process, certainty: .possible)
    }

    /// Returns whether a name follows a verb that begins a clause, as New-SPSite follows Run.
    private func isAdvised(_ place: Int, in text: FrameText) -> Bool {
        guard let verb = text.words[..<place].last, Self.advising.contains(verb.text) else { return false }
        return text.words[..<place].dropLast().last?.clause != verb.clause
    }

    /// Returns the part of an identifier that the prefix or suffix of the kind marks.
    private static func name(of kind: Kind, in identifier: String, _ parts: [Substring]) -> String? {
        if kind.id == "cmdlet" {
            if let name = parts.last.flatMap(cmdlet) { return name }
            // Ordinary compounds, such as the German "Import-Datei", have no capital within the second word.
            let name = parts.map(String.init).first { name in
                let noun = name.drop { $0 != "-" }.dropFirst()
                return isCmdlet(name) && !name.hasSuffix("-TargetResource") && noun.contains(where: \.isLowercase)
                    && (noun.dropFirst().contains(where: \.isUppercase) || nouns.contains(String(noun)))
            }
            if let name { return name }
        }
        for prefix in kind.prefixes where identifier.hasPrefix(prefix) && identifier.utf8.count > prefix.utf8.count {
            return identifier
        }
        for suffix in kind.suffixes {
            let part = parts.last { $0.utf8.count > suffix.utf8.count && $0.hasSuffix(suffix) }
            if let part { return String(part) }
        }
        return nil
    }

    /// The nouns of PowerShell's own cmdlets that are single words.
    private static let nouns = "Module Command Item Content Object Service Process Job Variable Path".wordSet

    /// Returns the cmdlet of a class such as `SPCmdletNewSPSite` or `ImportModuleCommand`.
    private static func cmdlet(ofClass name: Substring) -> String? {
        if name.hasSuffix("Command"), let verb = verbs.first(where: name.hasPrefix) {
            let noun = name.dropFirst(verb.count).dropLast("Command".count)
            return nouns.contains(String(noun)) ? "\(verb)-\(noun)" : nil
        }
        guard name.lowercased().hasPrefix("spcmdlet") else { return nil }
        let rest = name.dropFirst("SPCmdlet".count)
        guard
            let verb = verbs.first(where: { rest.hasPrefix($0) && rest.dropFirst($0.count).first?.isUppercase == true })
        else { return nil }
        let noun = rest.dropFirst(verb.count)
        return "\(verb)-\(noun.hasPrefix("SP") ? "" : "SP")\(noun)"
    }

    // MARK: The object

    /// Returns the object that the failure concerns: a name next to its noun, in the clause of the failure if there is
    /// one; otherwise a name that is recognized by its form, an object that the frames worked on, or a noun alone.
    func object(
        in text: FrameText,
        _ frames: [StackFrame],
        failure: String?,
        clause: Int?,
        words: WordPatterns.Match? = nil,
        except actor: String?
    ) -> FailureFrame.Slot<FailureFrame.Thing>? {
        let words = words?.clause == clause ? words : nil
        let reason = words.flatMap { self.reason($0, in: text) }
        // The words of another thing's name have no others between them.
        let nouns = objectPatterns.matches(in: text.words).filter {
            (objects[$0.entry].id != "other" || $0.words.count == $0.phrase.count)
                && !text.isLabel($0.words.upperBound) && !isEnumeration($0, in: text)
        }
        let concerns = failures.first { $0.id == failure }?.concerns ?? []
        var best: (rank: Int, slot: FailureFrame.Slot<FailureFrame.Thing>)?
        func offer(
            _ rank: Int,
            _ kind: Kind,
            _ name: String?,
            _ evidence: String,
            _ clause: Int? = nil,
            at place: Bool = false
        ) {
            guard concerns.isEmpty || concerns.contains(kind.id), best.map({ rank > $0.rank }) ?? true,
                kind.failures.isEmpty || failure.map(kind.failures.contains) != false
            else { return }
            var thing = kind.thing(named: name)
            // A property or an attribute keeps its own word.
            if kind.id == "other" || kind.id == "setting" && Self.settings.contains(evidence) {
                thing.noun = "the \(evidence)"
            }
            (thing.clause, thing.isPlace) = (clause, place)
            best = (rank, .init(value: thing, evidence: evidence, certainty: .likely))
        }
        for name in text.names where name.text != actor && !isOfHelp(name, in: text) && !isProgram(name, in: text) {
            let isNear = clause == nil || name.clause == clause
            // A name that the reason has comes before those of its consequence.
            let near = isNear && reason.map { name.place > $0 } == true ? 10 : 9
            // A name before the colon of the failure's clause comes before those further away.
            let far = clause.map { text.isJoined(name.clause, $0) } == true ? 5 : 4
            // A thing named in another clause may be the place of a refusal rather than its object.
            if !isNear, failure == "refused", name.form == .quoted { continue }
            // A message with a noun of its own is not about the parameter of a typed command.
            if !isNear, isParameter(name, in: text), clause.map({ hasNoun(otherThan: "", in: $0, of: text) }) == true {
                continue
            }
            // The type of an exception is an object only if it is missing.
            if name.text.hasSuffix("Exception"), failure != "absent", failure != "not-loaded" { continue }
            // The longest noun directly before the name, or else a noun near it.
            let nearby = nouns.filter {
                $0.clause == name.clause
                    && ((1...2).contains(name.place - $0.words.upperBound) || $0.words.lowerBound == name.place)
            }
            let ending = nearby.filter { $0.words.upperBound == name.place - 1 }
            let longest = ending.map(\.phrase.count).max()
            let noun = ending.first { $0.phrase.count == longest } ?? nearby.first
            // The type that a value should have is not the object.
            if let failure, Self.ofValues.contains(failure), noun.map({ objects[$0.entry].id }) == "type" { continue }
            let isMissingFile = ["not-loaded", "absent"].contains(failure) && ending.isEmpty && name.isOfFile
            let byForm = isMissingFile ? objects.first { $0.id == "file" } : kind(of: name)
            // The address of a request is not itself too large, unless the text calls it an address.
            if failure == "too-large", byForm?.id == "address", noun == nil { continue }
            // An account in another clause is only the current user.
            let isOther = noun == nil || clause.map { hasNoun(otherThan: "account", in: $0, of: text) } == true
            if byForm?.id == "account", failure == nil || !isNear && isOther { continue }
            if let kind = byForm, !kind.schemes.isEmpty, kind.id != "address" {
                offer(isNear ? near : 8, kind, name.text, name.text, name.clause)
            } else if !isMissingFile, let noun, objects[noun.entry].hasNames(of: name.form) {
                let (words, isPlace) = (noun.phrase.joined(separator: " "), self.isPlace(noun, in: text))
                offer(isNear ? near : far + 1, objects[noun.entry], name.text, words, name.clause, at: isPlace)
            } else if let kind = byForm {
                offer(isNear ? near - 1 : far, kind, name.text, name.text, name.clause)
            }
        }
        // A value that is not valid belongs to an argument, not to the object that the frames worked on.
        if let (kind, evidence) = kind(of: frames), failure.map(Self.ofArguments.contains) != true {
            offer(6, kind, nil, evidence)
        }
        for identifier in text.identifiers {
            // A value that is missing was looked up by a cmdlet.
            if failure == "empty", identifier.text.hasPrefix("Get-"), Self.isCmdlet(identifier.text),
                let kind = objects.first(where: { $0.id == "lookup" })
            {
                offer(6, kind, identifier.text, identifier.text)
            }
            if let kind = objects.first(where: { $0.parts.contains { identifier.text.has($0) } }) {
                offer(7, kind, nil, identifier.text)
            }
            // A type or an assembly needs no quotation marks.
            if let failure, Self.ofValues.contains(failure) || identifier.text.hasSuffix("Exception") { continue }
            guard
                let noun = nouns.first(where: {
                    $0.words.upperBound == identifier.place - 1 && ["assembly", "type"].contains(objects[$0.entry].id)
                        && text.words(before: $0.words.lowerBound, clause: $0.clause).first { _ in true }?.text != "of"
                })
            else { continue }
            let rank = clause == nil || noun.clause == clause ? 9 : 5
            let words = noun.phrase.joined(separator: " ")
            offer(rank, objects[noun.entry], identifier.text, words, noun.clause, at: isPlace(noun, in: text))
        }
        for noun in nouns where (clause == nil || noun.clause == clause) && !isPlace(noun, in: text) {
            // A server role is not a server.
            let next = text.words[noun.words.upperBound...].dropFirst().first { $0.clause == noun.clause }
            if let next, Self.heads.contains(next.text) { continue }
            let words = noun.phrase.joined(separator: " ")
            offer(noun.phrase.count > 1 ? 3 : 2, objects[noun.entry], nil, words, noun.clause)
        }
        return best?.slot
    }

    /// Returns whether a noun of another kind is in a clause, other than as the place of an event.
    func hasNoun(otherThan kind: String, in clause: Int, of text: FrameText) -> Bool {
        objectPatterns.matches(in: text.words).contains {
            $0.clause == clause && objects[$0.entry].id != kind && !isPlace($0, in: text)
        }
    }

    /// Returns whether a name is an address with an explanation, or the name of an XML namespace.
    private func isOfHelp(_ name: FrameText.Name, in text: FrameText) -> Bool {
        guard name.form == .address, let (_, host) = name.text[...].parts(around: "://") else { return false }
        let isKnown = objects.first { $0.id == "help" }?.prefixes.contains(where: host.hasPrefix) == true
        return isKnown
            || text.words(before: name.place, clause: name.clause).prefix(3).contains {
                Self.references.contains($0.text)
            }
    }

    /// Returns whether a name is the value of a parameter, as in `-Url http://portal`.
    private func isParameter(_ name: FrameText.Name, in text: FrameText) -> Bool {
        let before = text.bytes[..<name.range.lowerBound].reversed().drop { $0 == 0x20 || $0 == 0x27 || $0 == 0x22 }
        return before.drop { $0.isOfWord }.starts(with: "- ".utf8)
    }

    /// Returns whether a name is the program at the start of a command line, not one of its arguments.
    private func isProgram(_ name: FrameText.Name, in text: FrameText) -> Bool {
        Self.programs.contains { name.text.lowercased().hasSuffix($0) }
            && text.words(before: name.place, clause: name.clause).first { _ in true } == nil
            && text.names.contains { $0.clause == name.clause && $0.place == name.place && $0.text != name.text }
    }

    /// Returns whether the noun is the list of "a list of workflow actions", which is not one of SharePoint's.
    private func isEnumeration(_ noun: WordPatterns.Match, in text: FrameText) -> Bool {
        let next = text.words[noun.words.upperBound...].dropFirst().first { $0.clause == noun.clause }
        return noun.phrase.last == "list" && next?.text == "of"
    }

    /// Returns whether a noun only names the place of an event, as in "on this server".
    private func isPlace(_ noun: WordPatterns.Match, in text: FrameText) -> Bool {
        text.words(before: noun.words.lowerBound, clause: noun.clause).prefix(3)
            .contains { Self.prepositions.contains($0.text) }
    }

    /// Words that make a noun before them part of another thing's name.
    private static let heads = "host hosts cluster role roles name names edition settings level principal".wordSet
    private static let settings = "property attribute argument element".wordSet
    private static let programs = [".exe", ".cmd", ".bat", ".ps1"]
    private static let prepositions = "in on at from with by as into".wordSet
    /// The classes of failures that concern a value.
    private static let ofValues = "empty invalid".wordSet
    /// The classes of failures that concern the argument of a call.
    private static let ofArguments = "invalid unsupported".wordSet
    private static let references = "see details information informationen visit".wordSet

    private func kind(of name: FrameText.Name) -> Kind? {
        func kind(_ id: String) -> Kind? { objects.first { $0.id == id } }
        switch name.form {
        case .address:
            let scheme = name.text.prefix { $0 != ":" }.lowercased()
            return objects.first { $0.schemes.contains(scheme) } ?? kind("address")
        case .account: return kind("account")
        case .path: return kind(Self.hasExtension(name.text) ? "file" : "folder")
        case .guid, .quoted: return nil
        }
    }

    private static func hasExtension(_ path: String) -> Bool {
        guard let last = path.split(whereSeparator: { $0 == "\\" || $0 == "/" }).last else { return false }
        guard let dot = last.lastIndex(of: ".") else { return false }
        return (1...6).contains(last[dot...].utf8.count - 1) && dot > last.startIndex
    }

    /// Returns the kind of object that the innermost frames worked on, by the longest prefix of a name.
    private func kind(of frames: [StackFrame]) -> (Kind, String)? {
        var best: (length: Int, kind: Kind, frame: String)?
        for frame in frames.prefix(12) {
            for kind in objects {
                for prefix in kind.frames where frame.name.hasPrefix(prefix) && prefix.utf8.count > best?.length ?? 0 {
                    best = (prefix.utf8.count, kind, frame.name)
                }
            }
        }
        return best.map { ($0.kind, $0.frame) }
    }

    // MARK: The operation

    private static let attempts: [[String]] = [
        ["failed", "to"], ["fails", "to"], ["unable", "to"], ["could", "not"], ["cannot"], ["can", "not"],
        ["error", "while"], ["exception", "occurred", "while"], ["failed", "while"], ["error", "when"],
        ["while", "trying", "to"], ["when", "trying", "to"], ["while", "attempting", "to"],
    ]

    private static let ends = "because due with which that since when but and or following weil parce".wordSet
    /// Words that need another one after them, so an operation does not end with them.
    private static let dangling = "a an the of for to from between into one any each in on at by as via".wordSet

    /// Returns the words after "failed to" and the like, up to the end of the clause, or else the verb of the cmdlet.
    func operation(in text: FrameText, _ actor: FailureFrame.Thing?) -> FailureFrame.Slot<String>? {
        let words = text.words
        for start in words.indices {
            for attempt in Self.attempts where words[start].text == attempt[0] {
                let end = start + attempt.count
                guard end < words.count, words[start..<end].map(\.text) == attempt else { continue }
                var rest = words[end...].prefix(8).prefix { $0.clause == words[start].clause }
                let isEnd = { (place: Int) in
                    // "One or more" is a number.
                    Self.ends.contains(words[place].text) && words[place...].dropFirst().first?.text != "more"
                        || place > end && (text.isDivided(before: place) || words[place].start > words[end].start + 200)
                }
                let ending = rest.indices.first(where: isEnd)
                rest = rest.prefix(upTo: ending ?? rest.endIndex)
                let isCut = ending == nil && words[rest.endIndex...].first?.clause == words[start].clause
                while let last = rest.last, Self.dangling.contains(last.text) { rest.removeLast() }
                guard let first = rest.first, let last = rest.last, first.text != "be" else { continue }
                // A single word is enough if it is the name of a function.
                let value = text.original(first, through: last)
                guard rest.count >= 2 || text.identifiers.contains(where: { $0.text == value }) else { continue }
                let evidence = attempt.joined(separator: " ")
                return .init(value: value, evidence: evidence, certainty: .likely, isCut: isCut)
            }
        }
        if let (name, _) = text.property {
            let verb = text.exceptions.contains("GetValueInvocationException") ? "read" : "set"
            return .init(value: "\(verb) the property '\(name)'", evidence: name, certainty: .likely)
        }
        let ran = actor?.kind == "cmdlet" ? actor?.name : nil
        guard let verb = ran ?? text.identifiers.first(where: { Self.isCmdlet($0.text) })?.text else { return nil }
        return .init(value: "run \(verb)", evidence: verb, certainty: .possible)
    }

    private static let verbs = """
        Add Apply Approve Backup Clear Connect Convert Copy Deny Disable Disconnect Dismount Enable Export Find Get Grant
        Import Initialize Install Invoke Lock Merge Mount Move New Publish Register Remove Rename Repair Request Reset
        Resolve Restart Restore Resume Revoke Save Send Set Start Stop Submit Suspend Sync Test Uninstall Unlock Unpublish
        Unregister Update Upgrade
        """.wordSet

    /// Returns whether a name has the form of a cmdlet: `Set-TargetResource`, `New-SPSite`.
    static func isCmdlet(_ name: String) -> Bool {
        guard name.utf8.contains(UInt8(ascii: "-")) else { return false }
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && verbs.contains(String(parts[0]))
            && parts.allSatisfy { $0.count >= 3 && $0.first?.isUppercase == true && $0.allSatisfy { $0.isLetter } }
    }

    // MARK: The thrower

    /// Returns the owner of the code that threw: of the first frame that is not Microsoft's, which is only possible if it
    /// called the thrower, or else of the first one beyond the runtime; without frames, of the exception's type.
    func thrower(of chain: ExceptionChain?) -> FailureFrame.Slot<FailureFrame.Thing>? {
        guard let chain else { return nil }
        let type = chain.frames.isEmpty ? chain.headline.type.map { StackFrame($0) } : nil
        let foreign = chain.firstBeyondMicrosoft ?? type.flatMap { $0.isMicrosoft ? nil : $0 }
        guard let frame = foreign ?? chain.firstBeyondRuntime ?? type, !frame.isRuntime else { return nil }
        // A known third-party product counts as a component.
        let id = foreign.map { Components.find(frames: [$0]) == nil ? "custom" : "third-party" }
        let known = id == nil ? throwers.first { $0.frames.contains(where: frame.name.hasPrefix) } : nil
        guard let kind = known ?? throwers.first(where: { $0.id == id ?? "product" }) else { return nil }
        let isSure = frame == chain.firstBeyondRuntime
        return .init(value: kind.thing(), evidence: frame.name, certainty: isSure ? .likely : .possible)
    }

    /// Returns the check for the version of the code that threw.
    func versionCheck(of thrower: FailureFrame.Slot<FailureFrame.Thing>) -> Check? {
        guard var check = throwers.first(where: { $0.id == thrower.value.kind })?.checks.first else { return nil }
        let count = StackFrame(thrower.evidence).isMicrosoft ? 2 : 1
        let assembly = thrower.evidence.split(separator: ".").prefix(count).joined(separator: ".")
        check.command = check.command?.replacing("{assembly}", with: assembly)
        return check
    }

    // MARK: The remedy

    private static let advising = """
        run use add enable install start restart configure specify grant upgrade activate deploy verify check ensure
        make please disable remove set increase reduce decrease raise lower select choose confirm correct create delete
        rename move register change provide reinstall uninstall deactivate unlock
        """.wordSet

    /// Words that mark empty advice: "Contact your administrator", "Please refer to the log", "Check the spelling".
    private static let platitudes = "administrator later refresh support refer browser spelling details".wordSet
    /// The verbs of "To resolve this issue, verify that …", before the advice.
    private static let resolving = "resolve fix correct solve avoid prevent".wordSet
    /// The beginnings of sentences such as "Valid values are: A, B", which list what may be given instead.
    static let ofChoices = "valid possible allowed supported accepted permitted".wordSet
    /// Verbs of advice that are also nouns, and the finite verbs that then follow them.
    private static let names = """
        run use start restart grant upgrade deploy check set increase reduce raise lower select choose confirm correct
        create delete rename move register change provide
        """.wordSet
    private static let finite = "is was are were has had do does did".wordSet

    /// Returns the first sentence, other than the opening one, that begins with a verb, as advice does; it names
    /// something if it has no full stop, or if nothing failed.
    func remedy(in text: FrameText, isFailure: Bool) -> FailureFrame.Slot<String>? {
        let words = text.words
        for place in words.indices.dropFirst()
        where words[place].clause != words[place - 1].clause && advises(place, in: text) {
            // "Upgrade not possible" advises nothing, and a cmdlet at the beginning of a line was typed.
            let isTyped = text.identifiers.contains { $0.place == place && Self.isCmdlet($0.text) }
            let following = words[place...].dropFirst().prefix { $0.clause == words[place].clause }.prefix(6)
            if isTyped || following.first?.text == "not" { continue }
            // "Upgrade of the job is exiting" reports; in "Start the service if it is stopped", a conjunction precedes.
            let beforeVerb = following.prefix { !Self.finite.contains($0.text) }
            if beforeVerb.count < following.count, Self.names.contains(words[place].text),
                !beforeVerb.contains(where: { Self.subordinating.contains($0.text) })
            {
                continue
            }
            let sentence = text.sentence(from: words[place].start)
            let count = sentence.split(separator: " ").count
            let range = words[place].start..<words[place].start + sentence.utf8.count
            let isNamed =
                text.names.contains { $0.range.overlaps(range) }
                || text.identifiers.contains { (place + 1)...(place + count) ~= $0.place }
            let isWhole = sentence.hasSuffix(".") && !sentence.hasSuffix("..")
            let isChoice = Self.ofChoices.contains(words[place].text)
            guard 3...40 ~= count, sentence.first?.isUppercase == true,
                isWhole ? isFailure || isNamed : isFailure && (isNamed || isChoice),
                !Self.platitudes.contains(where: { words[place...].prefix(count + 1).map(\.text).contains($0) }),
                // "Remove the parameter and try again" advises more than "Please try again".
                words[place].text != "please" || !words[place...].prefix(4).contains(where: { $0.text == "again" })
            else { continue }
            // A label, or the beginning of an example that is missing.
            let head = sentence.prefix { $0 != ":" }
            if head.count < sentence.count, !isChoice && Self.isLabel(head) || sentence.hasSuffix(":") { continue }
            if sentence.trimmed.hasSuffix("e.g.") { continue }
            // "Upgrade of the site failed." reports, and advises nothing.
            if reports(place, end: range.upperBound, in: text) { continue }
            if let guess = text.guess(before: place) {
                return .init(value: sentence, evidence: guess, certainty: .possible)
            }
            return .init(value: sentence, evidence: words[place].text, certainty: .certain)
        }
        return nil
    }

    /// Returns whether a sentence begins with a verb of advice, or as "To be removed from the list, please visit" does.
    private func advises(_ place: Int, in text: FrameText) -> Bool {
        let verb = text.words[place]
        let next = text.words[place...].dropFirst().prefix(2).map(\.text)
        if Self.ofChoices.contains(verb.text), next == ["values", "are"] { return true }
        if verb.text == "to", let purpose = next.first, Self.resolving.contains(purpose) { return true }
        return Self.advising.contains(verb.text)
            || verb.text == "to"
                && text.words[place...].prefix(12).contains { $0.text == "please" && $0.clause == verb.clause }
    }

    /// Returns whether the words before a colon only name the value after it: `Install operation attempted was:`.
    private static func isLabel(_ head: Substring) -> Bool {
        head.split(separator: " ").last.map { labelEnds.contains(String($0)) } == true
    }

    /// Returns whether a sentence from a word up to a position reports a failure, other than in a subordinate clause.
    private func reports(_ start: Int, end: Int, in text: FrameText) -> Bool {
        failurePatterns.matches(in: text.words).contains { match in
            let first = match.words.lowerBound
            return first >= start && text.words[match.words.upperBound].start < end && failures[match.entry].rank != 1
                && !text.words[start..<first].contains { Self.subordinating.contains($0.text) }
        }
    }

    /// The kinds of objects that concern the disk of a server only if their path begins at a drive or a share.
    private static let files = "file folder".wordSet
    /// The classes of failures that files and folders of a server have; others concern their contents.
    private static let ofDisk = """
        refused absent exists locked full not-writable unreadable damaged too-large timed-out unreachable failed
        """.wordSet
    private static let labelEnds = "was is were are attempted state status".wordSet
    private static let subordinating = "if that whether which when who because to".wordSet

    // MARK: The component

    /// Returns the component of an actor, or of a noun in an identifier.
    func component(
        in text: FrameText,
        _ actor: FailureFrame.Thing?,
        _ object: FailureFrame.Slot<FailureFrame.Thing>?,
        failure: String?,
        isApart: Bool
    ) -> FailureFrame.Slot<String>? {
        let kind = actor.flatMap { actor in actors.first { $0.id == actor.kind } }
        // The namespace of a module is certain, whereas the nouns of its cmdlets may be those of another one.
        let names = [actor?.name].compactMap(\.self) + text.identifiers.map { $0.text }
        for name in names.filter({ $0.has(".") }) + names {
            guard let found = modules.first(where: { name.has($0.noun) }) else { continue }
            return .init(value: found.component, evidence: name, certainty: .likely)
        }
        if let actor, let name = actor.name {
            if let component = kind?.component { return .init(value: component, evidence: name, certainty: .likely) }
            if let found = nouns.first(where: { name.has($0.noun) }) {
                return .init(value: found.component, evidence: name, certainty: .likely)
            }
            if let component = kind?.perhaps { return .init(value: component, evidence: name, certainty: .possible) }
        }
        for name in text.names where name.form == .address {
            let scheme = name.text.prefix { $0 != ":" }.lowercased()
            guard let component = objects.first(where: { $0.schemes.contains(scheme) })?.component else { continue }
            return .init(value: component, evidence: "\(scheme)://", certainty: .likely)
        }
        // A quoted command, as in "run 'Add-SPDistributedCacheServiceInstance'".
        let commands = text.names.lazy.filter { $0.form == .quoted }.compactMap { $0.text.split(separator: " ").first }
            .map(String.init).filter(Self.isCmdlet)
        for command in commands {
            guard let found = nouns.first(where: { command.has($0.noun) }) else { continue }
            return .init(value: found.component, evidence: command, certainty: .possible)
        }
        for identifier in text.identifiers {
            guard let found = nouns.first(where: { identifier.text.has($0.noun) }) else { continue }
            return .init(value: found.component, evidence: identifier.text, certainty: .possible)
        }
        // A common noun alone, such as "list" or "item", is an ordinary word.
        guard let object, object.value.name != nil || !object.evidence.allSatisfy(\.isLowercase),
            !Self.files.contains(object.value.kind)
                || object.value.name.map(FrameText.isRooted) == true && failure.map(Self.ofDisk.contains) == true
                    && !isApart,
            let component = objects.first(where: { $0.id == object.value.kind })?.perhaps
        else { return nil }
        return .init(value: component, evidence: object.evidence, certainty: .possible)
    }
}

extension FrameText.Name {
    private static let extensions = """
        ascx asmx aspx bak cab cer cmp config css csv dll docx dwp exe htm html js json ldf log master mdf msi pdf pfx
        pptx ps1 psd1 psm1 resx sppkg svc txt webpart wsp xlsx xml xsd xsl xsn zip
        """.wordSet

    /// True for the quoted name of a file without its folder, by a common extension.
    fileprivate var isOfFile: Bool {
        guard form == .quoted, let dot = text.lastIndex(of: "."), dot > text.startIndex else { return false }
        return Self.extensions.contains(text[text.index(after: dot)...].lowercased())
    }
}
