package import FailureExplanation
package import LogDiagnosis
package import Redaction
import TextKit
import ULSLog
package import WebConfig

/// A report, or a part of one, whose texts are masked in place: names are replaced with pseudonyms, secrets with stars.
///
/// Pseudonyms are numbered in the order in which `mask(by:)` encounters the names, except for the servers that wrote
/// the logs. Fields that contain only a name come first, because they are the most reliable source of names.
package protocol Maskable {
    /// Masks values from the log's texts, the configuration or the command line; the program's own words and IDs are
    /// kept.
    mutating func mask(by mask: inout Redactor)
}

extension Maskable {
    /// Returns the report in a form that may be shared: with pseudonyms for names, and without secrets.
    ///
    /// Output from this report needs no further redaction. The content of the report is still based on the original
    /// values; only their texts are replaced. A name recognized in one part of the report is masked in all parts.
    package func redacted(by redactor: inout Redactor) -> Self {
        // Names that are cut off in a truncated text are recognized from texts in which they are complete.
        redactor.reading { redactor in
            var copy = self
            copy.mask(by: &redactor)
        }
        var report = self
        report.mask(by: &redactor)
        return report
    }
}

extension String: Maskable {
    package mutating func mask(by mask: inout Redactor) { self = mask.text(self) }
}

extension Optional: Maskable where Wrapped: Maskable {
    package mutating func mask(by mask: inout Redactor) { self?.mask(by: &mask) }
}

extension Array: Maskable where Element: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        for index in indices { self[index].mask(by: &mask) }
    }
}

/// Allows calling a redactor like a function: `mask(&text)`.
extension Redactor {
    mutating func callAsFunction(_ part: inout some Maskable) { part.mask(by: &self) }

    /// Masks each of several parts by calling `body`.
    mutating func callAsFunction<Part>(each parts: inout [Part], _ body: (inout Part, inout Redactor) -> Void) {
        for index in parts.indices { body(&parts[index], &self) }
    }

    mutating func callAsFunction<Part>(each parts: inout [Part]?, _ body: (inout Part, inout Redactor) -> Void) {
        guard var all = parts else { return }
        self(each: &all, body)
        parts = all
    }

    /// Masks a field that contains only a name.
    mutating func callAsFunction(_ name: inout String, as nameClass: NameClass) {
        name = self.name(name, as: nameClass)
    }

    mutating func callAsFunction(_ name: inout String?, as nameClass: NameClass) {
        name = name.map { self.name($0, as: nameClass) }
    }

    mutating func callAsFunction(_ names: inout [String], as nameClass: NameClass) {
        for index in names.indices { self(&names[index], as: nameClass) }
    }

    /// Masks the path of a file that was given to this program.
    mutating func callAsFunction(file path: inout String) { path = self.path(path) }

    /// Masks notes on the inputs, whose quoted paths are masked like those of files, not like addresses of sites.
    mutating func callAsFunction(inputNotes notes: inout [String]) {
        notes = notes.map { note in
            let parts = note.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
            return parts.enumerated().map { number, part in
                // With the slash, the last part counts as a folder, which may be a user's home.
                number % 2 == 1 && part.contains("/") ? String(path(part + "/").dropLast()) : text(part)
            }.joined(separator: "'")
        }
    }
}

extension DiagnosisReport: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&logs)
        if var emptiness {
            mask(each: &emptiness.conditions) { condition, mask in
                if condition.isServer { mask(&condition.value, as: .host) } else { mask(&condition.value) }
            }
            self.emptiness = emptiness
        }
        mask(&farm)
        mask(&configs)
        mask(each: &refusedConfigs) { error, mask in
            mask(&error.source)
            mask(&error.message)
            mask(&error.advice)
        }
        mask(&findings)
        mask(&known)
        mask(&suppressed)
        if var file = triage.suppressions {
            mask(file: &file.path)
            triage.suppressions = file
        }
        mask(each: &gone) { entry, mask in mask(&entry.servers, as: .host) }
        mask(each: &marks) { mark, mask in
            mask(&mark.server, as: .host)
            mask(&mark.text)
        }
        mask(each: &notEvaluated) { rule, mask in mask(&rule.reason) }
        mask(&unexplained)
        mask(&described)
        mask(each: &changes) { change, mask in
            mask(&change.server, as: .host)
            mask(&change.text)
        }
        mask(&farmNotes)
        // These values occur only in commands to copy, so they are not counted as values of the report.
        var copy = mask
        inputs = inputs.map { copy.path($0) }
        redaction = mask.summary
    }
}

extension NormalFailures: Maskable {
    /// Masks the templates; IDs of the kinds are kept, so that another log can be compared with them.
    package mutating func mask(by mask: inout Redactor) {
        mask(each: &kinds) { kind, mask in
            mask(&kind.eventID, of: .eventID)
            mask(&kind.template)
        }
        mask(&portrait)
    }
}

extension DiagnosisNews: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        switch self {
        case .finding(var finding, let before):
            mask(&finding)
            self = .finding(finding, before: before)
        case .unexplained(var cluster):
            mask(&cluster)
            self = .unexplained(cluster)
        }
    }
}

extension SuppressedFinding: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        switch subject {
        case .finding(var finding):
            mask(&finding)
            subject = .finding(finding)
        case .unexplained(var cluster):
            mask(&cluster)
            subject = .unexplained(cluster)
        }
        // A reason that a user wrote is masked like any other text. An owner may be a team.
        mask(&suppression.reason)
        mask(&suppression.owner)
        mask(file: &suppression.place.file)
    }
}

extension Finding: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&servers, as: .host)
        captures = captures.map { Capture(name: $0.name, value: mask.value($0)) }
        mask(&evidence)
        mask(&message)
        mask(each: &symptoms) { symptom, mask in mask(&symptom.text) }
        mask(&config)
        mask(&farm)
        mask(&reading)
        mask(each: &fix) { step, mask in mask(&step.step) }
        if var place = filePlace {
            mask(file: &place.file)
            filePlace = place
        }
    }
}

extension Redactor {
    /// Returns the value of a capture, whose name may indicate the kind of value.
    fileprivate mutating func value(_ capture: Capture) -> String {
        // `(null)` and other words in place of a name are not names.
        guard !capture.value.contains(where: { " (<:/".contains($0) }) else { return text(capture.value) }
        switch capture.name {
        case "user", "login", "account", "owner": return name(capture.value, as: .user)
        case "host", "server", "database_server", "machine": return name(capture.value, as: .host)
        case "domain": return name(capture.value, as: .domain)
        default: return text(capture.value)
        }
    }
}

extension Evidence: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&server, as: .host)
        mask(file: &place.file)
        mask(&eventID, of: .eventID)
        mask(&level, of: .level)
        mask(&category)
        mask(&text)
    }
}

extension FailureCluster: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&servers, as: .host)
        mask(&userNames, as: .user)
        mask(&addressNames)
        mask(&eventID, of: .eventID)
        mask(&level)
        mask(&example)
        mask(&template)
        mask(&frame)
        mask(&explanation)
        mask(each: &changes) { change, mask in mask(&change.text) }
    }
}

extension FailureReading: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&headline)
        mask(&sentence)
        mask(&exception)
        mask(&decoded)
        mask(&place)
        mask(&causes)
        mask(each: &checks) { check, mask in
            mask(&check.text)
            mask(&check.command)
        }
    }
}

extension FailureReading.Place: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        // The component's name usually comes from this program, even if an account has the same name.
        if isNamedByRow { mask(&component) }
        mask(&words)
        mask(&frame)
    }
}

extension FarmFacts: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(file: &path)
        mask(each: &servers) { server, mask in mask(&server.name, as: .host) }
        mask(each: &accounts) { account, mask in
            mask(&account.name, as: .user)
            mask(&account.uses)
        }
        mask(each: &applications) { application, mask in mask(&application.name) }
        mask(each: &zones) { zone, mask in
            mask(&zone.url)
            mask(&zone.webApplication)
        }
    }
}

extension WebConfigSource: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&server, as: .host)
        let original = path
        mask(file: &path)
        // A service shows findings only in files of the repository, which are visible to its users anyway.
        let isBelow =
            !original.hasPrefix("/") && !original.split(separator: "/").contains("..")
            && !original.utf8.contains(UInt8(ascii: "\\"))
        if path != original, isBelow, !path.contains(Redactor.mask) { placePath = original }
    }
}

extension WebConfigFile: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&source)
        mask(&elements)
    }
}

extension ConfigEvidence: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&source)
        mask(&attributes, of: element)
        mask(&element)
    }
}

extension ConfigElement: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        // The location is read as a path from the site's root, so that its parts are masked like those of an address.
        location = location.map { String(mask.text("/\($0)/").dropFirst().dropLast()) }
        mask(&attributes, of: self)
    }
}

extension Redactor {
    /// Masks attributes; if the element is not shown, all of them may be secret.
    fileprivate mutating func callAsFunction(_ attributes: inout [ConfigAttribute], of element: ConfigElement?) {
        self(each: &attributes) { attribute, mask in
            // The origin of a machine key is not a secret.
            let isSecret = element?.isSecret(attribute) ?? true && !attribute.value.hasPrefix("AutoGenerate")
            attribute.value = isSecret ? mask.secret() : mask.text(attribute.value)
        }
    }
}

extension ExplainedFailure: Maskable {
    /// Masks the quoted parts of the text in question: codes are kept, even those that look like a host and its port.
    package mutating func mask(by mask: inout Redactor) {
        // Without an explanation, the question is a code, unless it is unknown.
        guard explanation != nil || codes.isEmpty else { return mask(&findings) }
        if var row {
            mask(&row.event)
            asked = row.event.text(.message)
            self.row = row
        } else {
            mask(&asked)
        }
        mask(&explanation)
        mask(&findings)
    }
}

extension Explanation: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(each: &chains) { chain, mask in
            mask(each: &chain.links) { link, mask in
                mask(&link.type)
                mask(&link.message)
                mask(&link.frames)
            }
        }
        mask(&place)
        mask(&foreignFrame)
        mask(&causes)
        let remedy = frame.remedy?.value
        mask(&frame)
        mask(each: &checks) { check, mask in
            // All other texts and commands are those of the tables.
            if let remedy, check.text.hasSuffix(remedy) { mask(&check.text) }
            if check.isFilled { mask(&check.command) }
        }
    }
}

extension FailureFrame: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&actor)
        mask(&operation)
        mask(&object)
        mask(&component)
        mask(&failure)
        mask(&thrower)
        mask(&innermost)
        mask(&remedy)
        mask(&statement)
        mask(&ownWords)
        mask(&reason)
    }
}

extension FailureFrame.Slot: Maskable where Value: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        mask(&value)
        mask(&evidence)
    }
}

extension FailureFrame.Thing: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        // A name next to the noun "account" is an account, regardless of its form.
        if kind == "account" { mask(&name, as: .user) } else { mask(&name) }
    }
}

extension FailureFrame.Class: Maskable {
    /// Leaves the words unchanged, because they come from the program's own tables.
    package mutating func mask(by mask: inout Redactor) {}
}

extension StackFrame: Maskable {
    package mutating func mask(by mask: inout Redactor) { self = StackFrame(mask.text(name)) }
}

extension FoundComponent: Maskable {
    package mutating func mask(by mask: inout Redactor) {
        evidence =
            switch evidence {
            case .frame(let name): .frame(mask.text(name))
            case .exceptionType(let type): .exceptionType(mask.text(type))
            case .category(let category): .category(mask.text(category))
            // A sentence may contain a name in one of its gaps.
            case .message(let words): .message(mask.text(words))
            case .text(let word): .text(mask.text(word))
            case .process(let process): .process(mask.text(process))
            }
        if component.isNamedByRow { mask(&component.name) }
    }
}
