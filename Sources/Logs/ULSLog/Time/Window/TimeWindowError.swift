/// Why a time window can't be understood.
public struct TimeWindowError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case malformedTime, malformedDuration, needsTimeOfDay, needsDate, reversed, conflict }
        private let wrapped: Wrapped

        public static let malformedTime = Code(wrapped: .malformedTime)
        public static let malformedDuration = Code(wrapped: .malformedDuration)
        /// A date alone, around which there is no window.
        public static let needsTimeOfDay = Code(wrapped: .needsTimeOfDay)
        /// A time of day where only a date gives it a meaning.
        public static let needsDate = Code(wrapped: .needsDate)
        /// The end lies before the start.
        public static let reversed = Code(wrapped: .reversed)
        /// Two options that exclude each other.
        public static let conflict = Code(wrapped: .conflict)
    }

    public var code: Code
    /// What is wrong with what, and an example.
    public var message: String
}

extension TimeWindowError: CustomStringConvertible {
    public var description: String { message }
}
