import TextSafety

/// The standard error stream: what is said to the user, line by line.
enum StandardError {
    /// Writes `fastctl: ` and the message, made safe, on a line of its own.
    static func say(_ message: String) {
        write("fastctl: " + SafeText.escaping(message) + "\n")
    }

    /// Writes text as it is.
    static func write(_ text: String) {
        var bytes = Array(text.utf8)
        _ = FileDescriptor.standardError.write(&bytes)
    }
}
