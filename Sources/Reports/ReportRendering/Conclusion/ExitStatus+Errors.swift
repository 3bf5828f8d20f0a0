public import ContentFeeding

extension ExitStatus {
    /// What it means for the command that an engine can't go on.
    public init(_ code: EngineError.Code) {
        self =
            switch code {
            case .locked: .incomplete
            case .diskFull, .inputOutput: .inputOutput
            case .permission: .permission
            case .missingCollection, .collectionExists, .invalidName, .missingTarget, .unsupported, .rejected:
                .configuration
            default: .targetUnusable
            }
    }

    /// What it means for the command that a feed ended early.
    public init(_ reason: StopReason) {
        self =
            switch reason {
            case .interrupted: .interrupted
            case .terminated: .terminated
            case .engine(let code, _): ExitStatus(code)
            case .gaveUp, .deadline, .halted: .incomplete
            case .input, .storage: .inputOutput
            }
    }
}
