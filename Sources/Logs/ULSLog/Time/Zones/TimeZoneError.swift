/// Why a time zone can't be used.
public struct TimeZoneError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case malformedName, unknownName, repeated, noDatabase, damaged, cannotRead }
        private let wrapped: Wrapped

        /// What was given can't be the name of a zone, nor a server and one.
        public static let malformedName = Code(wrapped: .malformedName)
        public static let unknownName = Code(wrapped: .unknownName)
        /// Two zones for one server.
        public static let repeated = Code(wrapped: .repeated)
        /// The machine has no time zone database.
        public static let noDatabase = Code(wrapped: .noDatabase)
        /// The zone's file is none, or was damaged.
        public static let damaged = Code(wrapped: .damaged)
        public static let cannotRead = Code(wrapped: .cannotRead)
    }

    public var code: Code
    /// What is wrong with what, and what to do.
    public var message: String
}

extension TimeZoneError: CustomStringConvertible {
    public var description: String { message }
}
