/// An exception as a text shows it: the one that was caught, those inside it, and where each was thrown.
public struct ExceptionChain: Sendable, Hashable {
    /// One exception of the chain.
    public struct Link: Sendable, Hashable {
        /// Its type, with the namespace if the text has it; `nil` where only the message was logged.
        public var type: String?
        /// Its message, as it stands in the text, without blanks around it.
        public var message: String
        /// The HRESULT behind the type, as in `COMException (0x80070005)`.
        public var hresult: UInt32?
        /// The frames of its stack trace; the first is the one that threw.
        public var frames: [StackFrame]

        /// True for an exception that only says that there is another one inside.
        public var isWrapper: Bool {
            guard let type else { return message.isEmpty && frames.isEmpty }
            return Self.wrappers.contains(StackFrame.lastName(of: type))
        }

        private static let wrappers: Set<String> = [
            "AggregateException", "CmdletInvocationException", "FaultException", "HttpUnhandledException",
            "MethodInvocationException", "TargetInvocationException", "TypeInitializationException",
            "XamlParseException",
        ]
    }

    /// The exceptions: the one that was caught comes first, its cause next.
    public var links: [Link]
    /// Where it stands, in UTF-8 bytes of the text.
    public var range: Range<Int>
    /// True if frames or exceptions were left out, because there are more than anybody reads.
    public var isShortened: Bool

    /// The exception that was thrown first.
    public var innermost: Link { links[links.count - 1] }

    /// The exception that tells most: the innermost that is no wrapper.
    ///
    /// A data set's exception names the column that has no value; the one inside only says that a cast failed.
    public var headline: Link {
        links.last { $0.type.map { StackFrame.lastName(of: $0) } == "StrongTypingException" }
            ?? links.last { !$0.isWrapper } ?? innermost
    }

    /// The frames of all exceptions, from the place that threw outwards.
    public var frames: [StackFrame] { links.reversed().flatMap(\.frames) }

    /// The place that threw.
    public var thrower: StackFrame? { links.last { !$0.frames.isEmpty }?.frames.first }

    /// The first frame that is not the runtime's: who called it with what it didn't like.
    ///
    /// A method of SharePoint that only passes a failure on is taken if there is no other.
    public var firstBeyondRuntime: StackFrame? {
        frames.first { !$0.isRuntime && !$0.passesOn } ?? frames.first { !$0.isRuntime }
    }

    /// The first frame that is not Microsoft's: custom or third-party code.
    public var firstBeyondMicrosoft: StackFrame? { frames.first { !$0.isMicrosoft } }

    /// What is the same however the exception was logged: with its type or without, alone or inside others, cut or whole.
    ///
    /// It says nothing else: two failures of one place with one message have one identity.
    public var identity: String {
        let words = headline.message.prefix(400).split { $0 == " " || $0.isNewline || $0 == "\t" || $0 == "." }
        return (thrower?.name ?? headline.type ?? "") + "|" + words.joined(separator: " ").prefix(200)
    }
}

/// One frame of a stack trace.
public struct StackFrame: Sendable, Hashable, CustomStringConvertible {
    /// The method with its type and namespace, without arguments.
    public let name: String

    public init(_ name: String) { self.name = name }

    public var description: String { name }

    /// The type with its namespace; empty for a method without one, such as `lambda_method`.
    public var type: String {
        guard var dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "" }
        // A constructor is called .ctor, so there are two.
        if dot > name.startIndex, name.utf8[name.utf8.index(before: dot)] == UInt8(ascii: ".") {
            dot = name.utf8.index(before: dot)
        }
        return String(name[..<dot])
    }

    /// True for the runtime's own code, and for code that it generates.
    public var isRuntime: Bool {
        name.hasPrefix("System.") || name.hasPrefix("mscorlib") || name.hasPrefix("MS.Internal.")
            || !name.utf8.contains(UInt8(ascii: "."))
    }

    /// True for methods of SharePoint that turn a failure of native code into an exception, whatever called it.
    var passesOn: Bool { name.hasPrefix("Microsoft.SharePoint.SPGlobal.Handle") }

    /// True for the runtime, for Microsoft's products, and for what these bring along or generate.
    public var isMicrosoft: Bool {
        isRuntime || Self.microsoft.contains { name.hasPrefix($0) }
    }

    private static let microsoft = [
        "Microsoft.", "Microsoft..", "ASP.", "DynamicClass.", "Interop.", "Windows.", "Newtonsoft.Json.", "uls.native.",
    ]

    /// Returns the last name of a type: without its namespace, its outer type and its number of parameters.
    static func lastName(of type: String) -> String {
        let tail = type.utf8.split { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "+") }.last ?? type.utf8[...]
        return String(decoding: tail.prefix { $0 != UInt8(ascii: "`") }, as: UTF8.self)
    }
}
