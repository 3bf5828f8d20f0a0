import FailureExplanation
package import LogDiagnosis
package import Redaction
import ReportKit
import ULSLog
import WebConfig

extension DiagnosisReport {
    /// Returns the report as it may be sent: with pseudonyms for names, and without secrets.
    ///
    /// Whatever is written from it needs no redaction of its own. What the report says is about the true values: only
    /// their texts are replaced. A name that one part of the report gives away is masked in all.
    package func redacted(by redactor: inout Redactor) -> DiagnosisReport {
        // Names that a cut text holds half are known from where they stand whole.
        redactor.reading { _ = masked(by: &$0) }
        var report = masked(by: &redactor)
        report.redaction = redactor.summary
        return report
    }

    private func masked(by redactor: inout Redactor) -> DiagnosisReport {
        var report = self
        // What has fields of its own first: nothing else gives names away as surely.
        report.logs = logs?.masked(by: &redactor)
        report.emptiness?.conditions = (emptiness?.conditions ?? []).map { condition in
            var condition = condition
            condition.value = condition.value.map {
                condition.isServer ? redactor.name($0, as: .host) : redactor.text($0)
            }
            return condition
        }
        report.farm = farm?.masked(by: &redactor)
        report.configs = configs.map { $0.masked(by: &redactor) }
        report.refusedConfigs = refusedConfigs.map { error in
            var error = error
            error.source = error.source.masked(by: &redactor)
            error.message = redactor.text(error.message)
            error.advice = error.advice.map { redactor.text($0) }
            return error
        }
        report.findings = findings.map { $0.masked(by: &redactor) }
        report.known = known.map { $0.masked(by: &redactor) }
        report.suppressed = suppressed.map { $0.masked(by: &redactor) }
        report.gone = gone.map { entry in
            var entry = entry
            entry.servers = entry.servers.map { redactor.name($0, as: .host) }
            return entry
        }
        report.marks = marks.map { mark in
            var mark = mark
            mark.server = mark.server.map { redactor.name($0, as: .host) }
            mark.text = redactor.text(mark.text)
            return mark
        }
        report.notEvaluated = notEvaluated.map { NotEvaluated(rule: $0.rule, reason: redactor.text($0.reason)) }
        report.unexplained = unexplained.map { $0.masked(by: &redactor) }
        report.described = described?.redacted(by: &redactor)
        report.changes = changes.map { change in
            var change = change
            change.server = change.server.map { redactor.name($0, as: .host) }
            change.text = redactor.text(change.text)
            return change
        }
        report.farmNotes = farmNotes.map { redactor.text($0) }
        return report
    }
}

extension NormalFailures {
    /// Returns the kinds with masked templates; their IDs stay, so that another log can be compared with them.
    package func redacted(by redactor: inout Redactor) -> NormalFailures {
        let kinds = kinds.map { kind in
            var kind = kind
            kind.template = redactor.text(kind.template)
            return kind
        }
        var failures = NormalFailures(kinds: kinds, others: others, isIncomplete: isIncomplete, hours: hours)
        failures.portrait = portrait?.masked(by: &redactor)
        return failures
    }
}

extension DiagnosisNews {
    /// Returns what has become known with pseudonyms for names, and without secrets.
    package func redacted(by redactor: inout Redactor) -> DiagnosisNews {
        redactor.reading { _ = masked(by: &$0) }
        return masked(by: &redactor)
    }

    private func masked(by redactor: inout Redactor) -> DiagnosisNews {
        switch self {
        case .finding(let finding, let before): .finding(finding.masked(by: &redactor), before: before)
        case .unexplained(let cluster): .unexplained(cluster.masked(by: &redactor))
        }
    }
}

extension SuppressedFinding {
    fileprivate func masked(by redactor: inout Redactor) -> SuppressedFinding {
        var suppressed = self
        switch subject {
        case .finding(let finding): suppressed.subject = .finding(finding.masked(by: &redactor))
        case .unexplained(let cluster): suppressed.subject = .unexplained(cluster.masked(by: &redactor))
        }
        suppressed.suppression.place.file = redactor.path(suppression.place.file)
        return suppressed
    }
}

extension Finding {
    fileprivate func masked(by redactor: inout Redactor) -> Finding {
        var finding = self
        finding.servers = servers.map { redactor.name($0, as: .host) }
        finding.captures = captures.map { Capture(name: $0.name, value: redactor.value($0)) }
        finding.evidence = evidence.map { $0.masked(by: &redactor) }
        finding.message = redactor.text(message)
        finding.symptoms = symptoms.map { symptom in
            var symptom = symptom
            symptom.text = redactor.text(symptom.text)
            return symptom
        }
        finding.config = config.map { $0.masked(by: &redactor) }
        finding.farm = farm.map { redactor.text($0) }
        finding.reading = reading?.masked(by: &redactor)
        finding.fix = fix.map { step in
            var step = step
            step.step = redactor.text(step.step)
            return step
        }
        return finding
    }
}

extension Redactor {
    /// Returns the value of a capture, whose name may tell what it holds.
    fileprivate mutating func value(_ capture: Capture) -> String {
        // `(null)` and other words in place of a name are none.
        guard !capture.value.contains(where: { " (<:/".contains($0) }) else { return text(capture.value) }
        switch capture.name {
        case "user", "login", "account", "owner": return name(capture.value, as: .user)
        case "host", "server", "database_server", "machine": return name(capture.value, as: .host)
        case "domain": return name(capture.value, as: .domain)
        default: return text(capture.value)
        }
    }
}

extension Evidence {
    fileprivate func masked(by redactor: inout Redactor) -> Evidence {
        var evidence = self
        evidence.server = server.map { redactor.name($0, as: .host) }
        evidence.place.file = redactor.path(place.file)
        evidence.category = redactor.text(category)
        evidence.text = redactor.text(text)
        return evidence
    }
}

extension FailureCluster {
    fileprivate func masked(by redactor: inout Redactor) -> FailureCluster {
        var cluster = self
        cluster.servers = servers.map { redactor.name($0, as: .host) }
        cluster.userNames = userNames.map { redactor.name($0, as: .user) }
        cluster.addressNames = addressNames.map { redactor.text($0) }
        cluster.example = example.masked(by: &redactor)
        cluster.template = redactor.text(template)
        cluster.frame = frame.map { redactor.text($0) }
        cluster.explanation = explanation.masked(by: &redactor)
        cluster.changes = changes.map { ClusterChange($0.kind, redactor.text($0.text)) }
        return cluster
    }
}

extension FailureReading {
    fileprivate func masked(by redactor: inout Redactor) -> FailureReading {
        var reading = self
        reading.headline = headline.map { redactor.text($0) }
        reading.decoded = decoded.map { redactor.text($0) }
        // The component's name is mostly this program's, even if an account has the same.
        if let place, place.isNamedByRow { reading.place?.component = place.component.map { redactor.text($0) } }
        reading.place?.words = place?.words.map { redactor.text($0) }
        reading.place?.frame = place?.frame.map { redactor.text($0) }
        reading.causes = causes.map { redactor.text($0) }
        reading.checks = checks.map { check in
            ReadingCheck(redactor.text(check.text), command: check.command.map { redactor.text($0) })
        }
        return reading
    }
}

extension FarmFacts {
    fileprivate func masked(by redactor: inout Redactor) -> FarmFacts {
        var facts = self
        facts.path = redactor.path(path)
        facts.servers = servers.map { server in
            var server = server
            server.name = redactor.name(server.name, as: .host)
            return server
        }
        facts.accounts = accounts?.map { account in
            var account = account
            account.name = redactor.name(account.name, as: .user)
            account.uses = account.uses.map { redactor.text($0) }
            return account
        }
        facts.applications = applications?.map { application in
            var application = application
            application.name = redactor.text(application.name)
            return application
        }
        facts.zones = zones?.map { zone in
            var zone = zone
            zone.url = redactor.text(zone.url)
            zone.webApplication = zone.webApplication.map { redactor.text($0) }
            return zone
        }
        return facts
    }
}

extension WebConfigSource {
    fileprivate func masked(by redactor: inout Redactor) -> WebConfigSource {
        var source = self
        source.server = server.map { redactor.name($0, as: .host) }
        source.path = redactor.path(path)
        return source
    }
}

extension WebConfigFile {
    fileprivate func masked(by redactor: inout Redactor) -> WebConfigFile {
        WebConfigFile(
            source: source.masked(by: &redactor),
            elements: elements.map { $0.masked(by: &redactor) }
        )
    }
}

extension ConfigEvidence {
    fileprivate func masked(by redactor: inout Redactor) -> ConfigEvidence {
        var evidence = self
        evidence.source = source.masked(by: &redactor)
        evidence.attributes = attributes.map { attribute in
            attribute.masked(isSecret: element?.isSecret(attribute) ?? true, by: &redactor)
        }
        evidence.element = element?.masked(by: &redactor)
        return evidence
    }
}

extension ConfigElement {
    fileprivate func masked(by redactor: inout Redactor) -> ConfigElement {
        var element = self
        // As a path from the site's root, its parts are read as those of an address.
        element.location = location.map { String(redactor.text("/\($0)/").dropFirst().dropLast()) }
        element.attributes = attributes.map { $0.masked(isSecret: isSecret($0), by: &redactor) }
        return element
    }
}

extension ConfigAttribute {
    fileprivate func masked(isSecret: Bool, by redactor: inout Redactor) -> ConfigAttribute {
        var attribute = self
        // How a machine key was made is no secret.
        let isMode = value.hasPrefix("AutoGenerate")
        attribute.value = isSecret && !isMode ? redactor.secret() : redactor.text(value)
        return attribute
    }
}

extension [ExplainedFailure] {
    /// Returns the explanations with pseudonyms for names, and without secrets.
    ///
    /// They are of the true texts: only what is quoted of these is masked. Codes stay, even those that look like a host and
    /// its port. A name that one text gives away is masked in all.
    package func redacted(by redactor: inout Redactor) -> [ExplainedFailure] {
        redactor.reading { redactor in for failure in self { _ = failure.masked(by: &redactor) } }
        return map { $0.masked(by: &redactor) }
    }
}

extension ExplainedFailure {
    fileprivate func masked(by redactor: inout Redactor) -> ExplainedFailure {
        // Without an explanation, what was asked is a code, unless nobody knows what it is.
        guard explanation != nil || codes.isEmpty else { return self }
        var failure = self
        if let event = row?.event.redacted(by: &redactor) {
            failure.row?.event = event
            failure.asked = event.text(.message)
        } else {
            failure.asked = redactor.text(asked)
        }
        failure.explanation = explanation?.masked(by: &redactor)
        return failure
    }
}

extension Explanation {
    fileprivate func masked(by redactor: inout Redactor) -> Explanation {
        var explanation = self
        explanation.chains = chains.map { chain in
            var chain = chain
            for index in chain.links.indices { chain.links[index].mask(by: &redactor) }
            return chain
        }
        explanation.place = place.map { place in
            var place = place
            place.evidence = place.evidence.masked(by: &redactor)
            if place.component.isNamedByRow { place.component.name = redactor.text(place.component.name) }
            return place
        }
        explanation.foreignFrame = foreignFrame.map { StackFrame(redactor.text($0.name)) }
        explanation.causes = causes.map { redactor.text($0) }
        return explanation
    }
}

extension ExceptionChain.Link {
    fileprivate mutating func mask(by redactor: inout Redactor) {
        type = type.map { redactor.text($0) }
        message = redactor.text(message)
        frames = frames.map { StackFrame(redactor.text($0.name)) }
    }
}

extension FoundComponent.Evidence {
    fileprivate func masked(by redactor: inout Redactor) -> FoundComponent.Evidence {
        switch self {
        case .frame(let name): .frame(redactor.text(name))
        case .exceptionType(let type): .exceptionType(redactor.text(type))
        case .category(let category): .category(redactor.text(category))
        // A sentence has a gap, where a name may stand.
        case .message(let words): .message(redactor.text(words))
        case .text(let word): .text(redactor.text(word))
        case .process(let process): .process(redactor.text(process))
        }
    }
}
