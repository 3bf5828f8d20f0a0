/// The command of a schedule: a program and its arguments, in which `{report}` is a placeholder for a file of the run.
package struct ScheduledCommand: Sendable, Hashable {
    package let words: [String]

    package init(_ words: [String]) { self.words = words }

    private var isOfFastctl: Bool { words.first?.split(separator: "/").last == "fastctl" }

    // MARK: Guards

    /// The reason why a command of fastctl must not run unattended, with advice; `nil` if it may do so.
    ///
    /// A dangerous command determines the documents to remove, or the work to discard, when it runs, without a review.
    package var danger: (reason: String, advice: String)? {
        guard isOfFastctl else { return nil }
        func has(_ option: String) -> Bool {
            words.contains { $0 == option || $0.hasPrefix(option + "=") }
        }
        let verbs = words.dropFirst().filter { !$0.hasPrefix("-") }
        let name = verbs.prefix(2).joined(separator: " ")
        switch verbs.first {
        case "remove", "apply", "undo":
            let options = ["--max-remove", "--dry-run", "-n", "--what-if"]
            guard let verb = verbs.first, !options.contains(where: has) else { return nil }
            let mistake = verb == "remove" ? "list or query" : verb == "apply" ? "plan" : "backup"
            return (
                "'fastctl \(verb)' has no --max-remove: a wrong \(mistake) would empty a collection",
                "add --max-remove with a number or a percentage, beyond which the run changes nothing"
            )
        case "collections" where ["collections clear", "collections delete"].contains(name):
            return (
                "'fastctl \(name)' removes all documents, however many there are",
                "use 'fastctl remove' with --where and --max-remove"
            )
        case "replicas" where ["replicas empty", "replicas purge", "replicas remove"].contains(name) && has("--force"),
            "jobs" where name == "jobs discard" && has("--force"):
            return ("'fastctl \(name) --force' discards changes that were never sent", "leave out --force")
        default: return nil
        }
    }

    // MARK: Plans

    /// The collection of this server that the command compares with a source; `nil` if it does not compare one.
    package var comparedCollection: String? {
        guard isOfFastctl, words.dropFirst().first == "reconcile",
            // A command with these options compares a collection of another server.
            !words.contains(where: { word in
                ["--target", "--context", "--content-distributor"].contains { word == $0 || word.hasPrefix($0 + "=") }
            })
        else { return nil }
        if let word = words.last(where: { $0.hasPrefix("--collection=") }) {
            return String(word.dropFirst("--collection=".count))
        }
        guard let index = words.lastIndex(where: { ["-c", "--collection"].contains($0) }) else { return nil }
        return words.dropFirst(index + 1).first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    }

    /// The same collection, if the command writes a plan to its report, which the server then offers for review.
    package var plannedCollection: String? {
        let isReport = zip(words, words.dropFirst()).contains { $0 == "--plan" && $1 == "{report}" }
        return isReport || words.contains("--plan={report}") ? comparedCollection : nil
    }

    /// The command without the file to which it writes a plan.
    package var wordsWithoutPlan: [String] {
        var words = words
        while let index = words.firstIndex(of: "--plan") { words.removeSubrange(index..<min(index + 2, words.count)) }
        words.removeAll { $0.hasPrefix("--plan=") }
        return words
    }
}
