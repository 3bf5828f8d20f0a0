import FailureExplanation
public import Redaction
import ULSLog

extension [ExplainedFailure] {
    /// Returns the explanations with pseudonyms for names, and without secrets.
    ///
    /// They are of the true texts: only what is quoted of these is masked. Codes stay, even those that look like a host and
    /// its port. A name that one text gives away is masked in all.
    public func redacted(by redactor: inout Redactor) -> [ExplainedFailure] {
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
