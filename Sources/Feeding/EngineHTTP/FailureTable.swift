public import ContentFeeding

/// What one failure means for a batch and for a single request: a row of the table, filled in.
struct FailureRow {
    /// What the feeder does.
    let kind: BatchFailure.Kind
    /// What a single request ends with.
    let code: EngineError.Code
    /// What happened, and where.
    let what: String
    /// What to do next.
    let advice: String
    var disposition = DocumentFailure.Disposition.retryable
}

extension FailureRow {
    /// The one place where it is decided what each failure means.
    init(_ trouble: EngineTrouble) {
        switch trouble {
        case .noReply(let failure): self.init(failure)
        case .refused(let reply, let complaint): self.init(reply, complaint)
        case .unreadable(let reply, let what):
            self.init(
                kind: .ambiguous,
                code: .unusable,
                what: ReplyExcerpt.isPage(reply)
                    ? ReplyWords(reply, nil).answer
                    : "the reply of \(reply.node) can't be understood: \(ReplyExcerpt.short(what))",
                advice: FailureAdvice.rightTarget
            )
        }
    }
}

extension BatchFailure {
    /// What becomes of a batch that came to no result.
    public init(_ trouble: EngineTrouble) {
        let row = FailureRow(trouble)
        // A retry that helps leaves no word; the last one must say all.
        let message = "\(row.what); \(row.advice)"
        let isOfEngine =
            switch row.kind {
            case .definite, .ambiguous: false
            default: true
            }
        let code: DocumentFailure.Code = isOfEngine ? .rejectedByEngine : .attemptsExhausted
        self.init(row.kind, DocumentFailure(code, message, disposition: row.disposition))
    }
}

extension EngineError {
    /// What it means for a request that is no batch.
    public init(_ trouble: EngineTrouble) {
        let row = FailureRow(trouble)
        self.init(row.code, row.what, advice: row.advice)
    }
}
