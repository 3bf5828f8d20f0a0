import ContentFeeding

extension FailureRow {
    /// How long to wait where nobody can write until someone has acted.
    static let pauseWhenBlocked = Duration.seconds(30)
    /// The longest pause that a server can ask for.
    static let longestPause = Duration.seconds(300)

    /// A reply that is no success.
    ///
    /// What the engine itself says comes first, then the status. Only the engine's own word makes a collection missing
    /// or a request malformed: a proxy's page with the same status is a wrong address.
    init(_ reply: EngineReply, _ complaint: EngineComplaint?) {
        let words = ReplyWords(reply, complaint)
        let pause = min(reply.retryAfter ?? .zero, Self.longestPause)
        switch (reply.status, complaint?.kind) {
        case (401, _): self.init(stop: .permission, words.unauthenticated, FailureAdvice.credentials(reply.credentials))
        case (407, _): self.init(stop: .unusable, words.answer, FailureAdvice.proxy)
        case (_, .missingCollection): self.init(stop: .missingCollection, words.answer, FailureAdvice.collections)
        case (_, .blocked):
            self.init(
                kind: .slowDown(max(pause, Self.pauseWhenBlocked)),
                code: .rejected,
                what: "\(reply.node) takes no writes (\(reply.status)): \(words.said)",
                advice: FailureAdvice.blocked,
                disposition: .operatorAction
            )
        case (429, _), (_, .throttled):
            self.init(kind: .slowDown(pause), code: .unreachable, what: words.busy, advice: FailureAdvice.later)
        case (403, _), (_, .forbidden):
            self.init(stop: .permission, words.forbidden, FailureAdvice.rights(reply.credentials))
        case (413, _), (_, .tooLarge):
            self.init(kind: .tooLarge, code: .rejected, what: words.answer, advice: FailureAdvice.less)
        case (300...399, _): self.init(stop: .missingTarget, words.redirect, FailureAdvice.redirect(reply))
        case (503, _) where reply.retryAfter != nil:
            self.init(kind: .slowDown(pause), code: .unreachable, what: words.busy, advice: FailureAdvice.later)
        case (507, _):
            self.init(
                kind: .slowDown(max(pause, Self.pauseWhenBlocked)),
                code: .rejected,
                what: words.answer,
                advice: FailureAdvice.blocked,
                disposition: .operatorAction
            )
        case (501, _), (505, _), (511, _): self.init(stop: .unusable, words.answer, FailureAdvice.rightTarget)
        case (408, _), (500..., _):
            self.init(kind: .ambiguous, code: .unreachable, what: words.answer, advice: FailureAdvice.log)
        case (400, .some), (409, .some), (422, .some):
            self.init(
                kind: .split(mayHaveApplied: true),
                code: .rejected,
                what: words.answer,
                advice: FailureAdvice.request,
                disposition: .permanent
            )
        case (200...299, _):
            self.init(kind: .ambiguous, code: .unusable, what: words.answer, advice: FailureAdvice.rightTarget)
        default: self.init(stop: .unusable, words.answer, FailureAdvice.rightTarget)
        }
    }
}
