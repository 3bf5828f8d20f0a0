package import LogDiagnosis
package import ULSLog

/// A condition on rows that is set by an option.
package struct RowCondition: Sendable {
    let condition: EmptySelection.Condition
    /// Sets only this condition.
    let apply: @Sendable (inout LogReader) -> Void
}

// MARK: Conditions of options

extension RowCondition {
    /// Returns a condition for each value of an option; a row needs to meet only one of them.
    package static func each(
        _ words: String,
        _ values: [String],
        isServer: Bool = false,
        _ set: @escaping @Sendable (inout EventFilter, [String]) -> Void
    ) -> [RowCondition] {
        values.map { value in
            let condition = EmptySelection.Condition(
                words,
                value,
                isServer: isServer,
                isAlternative: values.count > 1
            )
            return RowCondition(condition: condition) { set(&$0.filter, [value]) }
        }
    }

    /// Returns a condition for each server.
    package static func servers(_ names: [String]) -> [RowCondition] {
        each("of server", names, isServer: true) { $0.servers = $1 }
    }
}

extension LogSelectionOptions {
    /// The conditions on rows, each set separately.
    var conditions: [RowCondition] {
        var all =
            RowCondition.servers(servers) + RowCondition.each("of process", processes) { $0.processes = $1 }
        if let level {
            all.append(
                RowCondition(condition: .init("of level \(level.word) or worse", nil)) { $0.filter.level = level }
            )
        }
        all += RowCondition.each("of category", categories) { $0.categories = $1 }
        all += RowCondition.each("with event ID", eventIDs) { $0.eventIDs = $1 }
        all += contains.map { text in
            RowCondition(condition: .init("with the text", text)) { $0.filter.contains = [text] }
        }
        if let filter = try? filter(), let patterns = filter.patterns {
            let texts = matches.map { "--match '\($0)'" } + unwantedMatches.map { "--not-match '\($0)'" }
            let words = "that passes " + texts.joined(separator: " ")
            all.append(RowCondition(condition: .init(words, nil)) { $0.filter.patterns = patterns })
        }
        let unwanted =
            unwantedProcesses.map { "--not-process '\($0)'" } + unwantedCategories.map { "--not-category '\($0)'" }
            + unwantedEventIDs.map { "--not-event '\($0)'" }
        if !unwanted.isEmpty {
            let words = "that passes " + unwanted.joined(separator: " ")
            all.append(
                RowCondition(condition: .init(words, nil)) {
                    [unwantedProcesses, unwantedCategories, unwantedEventIDs] reader in
                    reader.filter.excludedProcesses = unwantedProcesses
                    reader.filter.excludedCategories = unwantedCategories
                    reader.filter.excludedEventIDs = unwantedEventIDs
                }
            )
        }
        return all + times.conditions
    }
}

extension LogEventOptions {
    /// The conditions on rows, each set separately.
    var conditions: [RowCondition] {
        selection.conditions
            + correlations.map { pattern in
                let condition = EmptySelection.Condition(
                    "of correlation",
                    "\(pattern)",
                    isAlternative: correlations.count > 1
                )
                return RowCondition(condition: condition) { $0.filter.correlations = [pattern] }
            }
    }
}

extension LogTimeOptions {
    /// The window as a condition on rows, if any.
    var conditions: [RowCondition] {
        let times = [("--since", since), ("--until", until), ("--around", around)].compactMap { name, value in
            value.map { "\(name) \($0)" }
        }
        guard !times.isEmpty, let window = try? window() else { return [] }
        let words = "in the window \(times.joined(separator: " "))"
        return [RowCondition(condition: .init(words, nil)) { $0.window = window }]
    }
}

// MARK: Result of the conditions

/// The result of reading with a filter, used to determine whether any row passed the filter.
package struct FilteredReading {
    /// Whether rows passed the filter; `nil` if that has yet to be determined, provided that the inputs can be read
    /// again.
    package var hasRows: Bool?
    /// Whether the logs have no rows at all.
    var holdsNothing = false
    /// The servers whose logs were read, in lowercase; `nil` if the server of any file is unknown.
    package var servers: Set<String>?

    package init(hasRows: Bool?) { self.hasRows = hasRows }
}

extension FilteredReading {
    /// Creates the outcome that is known after a diagnosis.
    init(_ logs: ReadReport) {
        hasRows = logs.lookedAt > 0
        holdsNothing =
            logs.quality.records == 0 && !logs.files.contains { $0.isSkipped || $0.unreadBytes > 0 }
        let names = logs.coverage.map(\.server) + logs.files.map(\.server) + logs.servers.map(\.server)
        let present = names.compactMap { $0?.lowercased() }
        // Rows in a file whose server is not known may be from any server.
        servers = present.isEmpty || present.count < names.count ? nil : Set(present)
    }
}

extension LogReader {
    /// Returns the reason a diagnosis examined no row, or none with a requested value; `nil` if there is nothing to
    /// explain.
    func emptiness(of report: DiagnosisReport, under conditions: [RowCondition]) throws -> EmptySelection? {
        guard let logs = report.logs else { return nil }
        var reading = FilteredReading(logs)
        // Texts are searched for only in rows that may be relevant to rules.
        if logs.lookedAt > 0, filter.examinesMessages, logs.events == 0, try canReadAgain() {
            reading.hasRows = nil
        }
        return try emptiness(of: reading, under: conditions)
    }

    /// Returns the conditions that no row meets, or the values of an option that do not occur in any row; `nil` if
    /// there is nothing to explain.
    ///
    /// Inputs that can be read again are searched for a row that meets each condition.
    package func emptiness(of reading: FilteredReading, under conditions: [RowCondition]) throws -> EmptySelection? {
        func isUnmet(_ condition: RowCondition) throws -> Bool {
            if condition.condition.isServer, let servers = reading.servers {
                return !servers.contains((condition.condition.value ?? "").lowercased())
            }
            guard try canReadAgain() else { return false }
            var alone = self
            alone.bisects = false
            (alone.filter, alone.window) = (EventFilter(), .all)
            condition.apply(&alone)
            return try !alone.hasRow()
        }
        if reading.hasRows == nil, try !canReadAgain() { return nil }
        if try reading.hasRows ?? hasRow() {
            let absent = try conditions.filter { try $0.condition.isAlternative && isUnmet($0) }
            return absent.isEmpty ? nil : EmptySelection(absent.map(\.condition), isPartial: true)
        }
        if reading.holdsNothing { return EmptySelection([]) }
        let all = conditions.map(\.condition)
        guard conditions.count > 1 else { return EmptySelection(all, areTogether: true) }
        let unmet = try conditions.filter(isUnmet).map(\.condition)
        return unmet.isEmpty ? EmptySelection(all, areTogether: true) : EmptySelection(unmet)
    }

    /// Returns whether any row matches the filter and the window; reading ends with the first.
    private func hasRow() throws -> Bool {
        var reader = self
        reader.progress = nil
        return try reader.forEachEvent(in: .files, around: ContextReach(), limit: 1) { _, _ in } == nil
    }
}
