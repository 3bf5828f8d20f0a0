public import ContentFeeding

/// What each failure means: the one place where it is decided.
extension BatchFailure {
    /// What becomes of a batch that came to no result.
    public init(_ trouble: EngineTrouble) {
        switch trouble {
        case .noReply(let failure):
            let kind: Kind = failure.isNotSent ? .definite(isCharged: false) : .ambiguous
            self.init(kind, DocumentFailure(.attemptsExhausted, "\(failure)", disposition: .retryable))
        case .unreadable(let reply, let what):
            let message = "\(reply.node): \(what)"
            self.init(.ambiguous, DocumentFailure(.attemptsExhausted, message, disposition: .retryable))
        case .refused(let reply, let complaint):
            self.init(reply, complaint)
        }
    }

    private init(_ reply: EngineReply, _ complaint: EngineComplaint?) {
        let words = complaint.map { "\($0.type): \($0.reason)" } ?? "an answer that is not the engine's own"
        let failure = DocumentFailure(
            .rejectedByEngine,
            "\(reply.node) answered \(reply.status): \(words)",
            disposition: .retryable
        )
        switch (reply.status, complaint?.kind) {
        case (_, .missingCollection): self.init(.stop(.missingCollection), failure)
        case (_, .blocked): self.init(.slowDown(.seconds(30)), failure)
        case (429, _): self.init(.slowDown(reply.retryAfter ?? .zero), failure)
        case (503, _) where reply.retryAfter != nil: self.init(.slowDown(reply.retryAfter ?? .zero), failure)
        case (413, _): self.init(.tooLarge, failure)
        case (400, .some): self.init(.split(mayHaveApplied: true), failure)
        case (401, _), (403, _): self.init(.stop(.permission), failure)
        case (408, _), (500..., _): self.init(.ambiguous, failure)
        case (300...399, _): self.init(.stop(.missingTarget), failure)
        default: self.init(.stop(.unusable), failure)
        }
    }
}

extension EngineError {
    /// What it means for a request that is no batch.
    public init(_ trouble: EngineTrouble) {
        let failure = BatchFailure(trouble)
        switch failure.kind {
        case .stop(let code): self.init(code, failure.failure.message)
        case .definite, .ambiguous, .slowDown: self.init(.unreachable, failure.failure.message)
        case .permanent, .split, .tooLarge: self.init(.rejected, failure.failure.message)
        }
    }
}
