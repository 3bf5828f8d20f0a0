/// What is wrong with a template.
public struct CaptureTemplateError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case noHole, open, badName, touching, tooLong }
        private let wrapped: Wrapped

        /// There is no hole.
        public static let noHole = Code(wrapped: .noHole)
        /// A brace is not closed.
        public static let open = Code(wrapped: .open)
        /// A name is empty, used twice, or not of small letters, digits and `_`.
        public static let badName = Code(wrapped: .badName)
        /// Between two holes is nothing, so nothing tells where the first ends.
        public static let touching = Code(wrapped: .touching)
        /// It is longer than a template may be.
        public static let tooLong = Code(wrapped: .tooLong)
    }

    public var code: Code
    public var message: String

    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}

extension CaptureTemplateError {
    static func touching(_ name: String) -> CaptureTemplateError {
        CaptureTemplateError(code: .touching, message: "nothing is behind '{\(name.prefix(40))}' to tell where it ends")
    }
}

extension CaptureTemplateError: CustomStringConvertible {
    public var description: String { message }
}
