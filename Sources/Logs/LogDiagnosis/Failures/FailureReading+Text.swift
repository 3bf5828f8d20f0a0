import ULSLog

extension FailureReading {
    /// Reads what an event's text says by itself.
    init(_ event: borrowing ULSEvent, exception: String?, frame: String?) {
        self.init()
        if let exception {
            headline = exception
            decoded = [exception]
        }
        location = frame
    }
}
