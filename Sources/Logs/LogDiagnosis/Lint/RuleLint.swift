import YAML

/// Looks for what makes a rule slow, useless or hard to trust, although it can be read.
public struct RuleLint: Sendable {
    private let library: RuleLibrary

    /// - Parameter library: the rules that are there; one may name another.
    public init(_ library: RuleLibrary) { self.library = library }

    /// What is to be said of a folder: of files that cannot be read, and of those that can.
    ///
    /// - Parameters:
    ///   - folder: a folder of rules.
    ///   - library: rules that are there besides.
    /// - Returns: complaints by file and place.
    /// - Throws: that the folder cannot be read.
    public static func complaints(
        folder: String,
        besides library: RuleLibrary = RuleLibrary()
    ) throws(RuleError) -> [RuleComplaint] {
        let files = try RuleFolder.read(folder)
        var library = library
        var complaints: [RuleComplaint] = []
        var read: [RuleID] = []
        var broken: Set<RuleID> = []
        // Tests come behind their rules.
        for file in files.filter({ $0.nominal?.isTests == false }) + files.filter({ $0.nominal?.isTests == true }) {
            // What is wrong with a rule is said once, not again of its tests.
            if let (id, isTests) = file.nominal, isTests, broken.contains(id) { continue }
            do throws(RuleError) {
                try library.add([file])
                if let (id, isTests) = file.nominal, !isTests { read.append(id) }
            } catch {
                complaints.append(RuleComplaint(error))
                if let id = file.nominal?.id { broken.insert(id) }
            }
        }
        let lint = RuleLint(library)
        return (complaints + read.flatMap { lint.complaints(about: $0) }).inOrder
    }

    /// What is to be said of all rules.
    public func complaints() -> [RuleComplaint] {
        library.entries.flatMap { complaints(about: $0.rule.id) }
    }

    /// What is to be said of a rule and its tests, by file and place.
    public func complaints(about id: RuleID) -> [RuleComplaint] {
        guard let entry = library[id], let outline = RuleOutline(yaml: entry.source.text) else { return [] }
        let subject = LintSubject(rule: entry.rule, file: entry.source.name, outline: outline)
        var complaints = SelectorLint(subject).complaints + UseLint(subject).complaints
        complaints += TextLint(subject).complaints + TrustLint(subject).complaints
        for (index, other) in entry.rule.supersedes.enumerated() where library[other] == nil || other == id {
            let problem = other == id ? "it supersedes itself" : "it supersedes \(other), which is not there"
            complaints.append(subject.warning(problem, at: "supersedes", "\(index)"))
        }
        do throws(RuleError) {
            complaints += TestLint(subject, try library.tests(of: id)).complaints
        } catch {
            complaints.append(RuleComplaint(error))
        }
        return complaints.inOrder
    }
}

/// A rule, its file, and where everything stands in it.
struct LintSubject {
    var rule: Rule
    var file: String
    var outline: RuleOutline

    func error(_ message: String, at path: String...) -> RuleComplaint { error(message, outline[path]) }
    func warning(_ message: String, at path: String...) -> RuleComplaint { warning(message, outline[path]) }

    func error(_ message: String, _ place: Place) -> RuleComplaint {
        RuleComplaint(.error, file: file, place: place, message: message)
    }

    func warning(_ message: String, _ place: Place) -> RuleComplaint {
        RuleComplaint(.warning, file: file, place: place, message: message)
    }
}

extension [RuleComplaint] {
    /// By file and place; each once.
    fileprivate var inOrder: [RuleComplaint] {
        var seen: Set<RuleComplaint> = []
        return filter { seen.insert($0).inserted }.sorted {
            ($0.file, $0.place?.line ?? 0, $0.place?.column ?? 0) < (
                $1.file, $1.place?.line ?? 0, $1.place?.column ?? 0
            )
        }
    }
}
