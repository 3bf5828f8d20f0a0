import TextKit

/// Exceptions in a text of any form: rows of a log, tickets, error pages.
///
/// A chain is recognized by a type with a message (`System.IO.FileNotFoundException: …`, `COMException (0x80070005):
/// …`), by what SharePoint writes before an exception (`Error=`, `Exception:`, `ExceptionType: '…'`), or by frames
/// alone. `--->` and exceptions in a message lead inward; `--- End of inner exception stack trace ---` leads outward.
/// Partial words are never used, so a truncated text yields fewer types and frames, but never wrong ones.
///
/// The running time is linear in the length of the text, regardless of its contents.
package enum ExceptionText {
    /// The maximum number of bytes that are read; the rest is ignored.
    package static let maximumBytes = 1 << 20
    /// The maximum numbers of chains, of exceptions in a chain and of frames in a chain that are kept.
    package static let (maximumChains, maximumLinks, maximumFrames) = (64, 32, 512)
    /// The maximum number of bytes of a message that are kept.
    package static let maximumMessage = 4096

    /// Returns the chains in a text, in the order of the text.
    package static func chains(in text: String) -> [ExceptionChain] {
        var bytes = Array(text.utf8.prefix(maximumBytes))
        if bytes.count == maximumBytes {
            // The last word may be incomplete.
            while let last = bytes.last, !last.isBlank, bytes.count > maximumBytes - 4096 { bytes.removeLast() }
        }
        var scan = ExceptionScan(bytes)
        return scan.chains()
    }
}

/// One pass over a text.
private struct ExceptionScan {
    private let text: TextBytes
    private var position = 0
    private var assembly: ChainAssembly

    init(_ bytes: [UInt8]) {
        text = TextBytes(bytes)
        assembly = ChainAssembly(bytes)
    }

    mutating func chains() -> [ExceptionChain] {
        while position < text.count, !assembly.isFull {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "-"): readDashes()
            case UInt8(ascii: "\n"):
                position += 1
                assembly.endLine(at: position - 1, startsRow: text.startsRow(at: position))
            case UInt8(ascii: "\t"):
                assembly.endMessageLine(at: position)
                position += 1
            case 0xC3 where text.matches("à", at: position): readFrameWord("à".utf8.count)
            default:
                if !byte.isWordStart {
                    position += 1
                } else if let end = text.wordEnd(from: position) {
                    readWord(position..<end)
                } else {
                    position = text.count
                }
            }
        }
        return assembly.finish(at: text.count)
    }

    /// Reads `--->`, which leads to an inner exception, or `--- End of … ---`, which ends one.
    private mutating func readDashes() {
        let start = position
        while position < text.count, text[position] == UInt8(ascii: "-") { position += 1 }
        guard position - start >= 3, position < text.count else { return }
        if text[position] == UInt8(ascii: ">") {
            position += 1
            readArrow(from: start)
        } else if let marker = text.endMarker(from: position) {
            assembly.endTrace(isInner: marker.isInner, start..<marker.end)
            position = marker.end
        }
    }

    private mutating func readArrow(from arrow: Int) {
        var place = text.skippingBlanks(from: position)
        let isRepetition = text.matches("(Inner Exception #", at: place)
        if isRepetition {
            while place < text.count, text[place] != UInt8(ascii: ")"), text[place] != UInt8(ascii: "\n") { place += 1 }
            place = text.skippingBlanks(from: min(place + 1, text.count))
        }
        guard place < text.count, text[place].isWordStart, let end = text.wordEnd(from: place),
            let header = text.header(place..<end, isExpected: true)
        else { return }
        assembly.addInner(.init(header), arrow..<header.end, isRepetition: isRepetition)
        position = header.end
    }

    private mutating func readWord(_ word: Range<Int>) {
        if text.isFrameWord(word) { return readFrameWord(word.count) }
        if let end = text.innerLabel(word) { return readInner(from: word.lowerBound, at: end) }
        if let header = text.header(word, isExpected: false) {
            assembly.add(header, isBracketed: text.isByte(UInt8(ascii: "["), at: word.lowerBound - 1))
            position = header.end
            return
        }
        if let opening = text.opening(word) {
            assembly.open(opening)
            position = opening.end
            return
        }
        if text.isTraceTitle(word) { assembly.endMessage(at: word.lowerBound) }
        if let frame = text.pageFrame(word) {
            assembly.addFrame(frame, isLoose: false)
            position = frame.end
            return
        }
        position = word.upperBound
    }

    /// Reads the inner exception after a label, which may be only its message.
    private mutating func readInner(from label: Int, at place: Int) {
        guard place < text.count, text[place].isWordStart, !text.isNothing(at: place) else {
            position = place
            return
        }
        let header = text.wordEnd(from: place).flatMap { text.header(place..<$0, isExpected: true) }
        position = header?.end ?? place
        // "Caused by: frost" may be in any sentence.
        guard header != nil || assembly.isOpen || text.matches("Inner", at: label) else { return }
        assembly.addInner(header.map(ChainAssembly.Draft.init) ?? .init(messageStart: place), label..<position)
    }

    /// Reads the frame after `at`, `bei` or `à`, if there is one.
    private mutating func readFrameWord(_ length: Int) {
        let start = position
        position += length
        guard start == 0 || text[start - 1].isBlank || text[start - 1] == UInt8(ascii: "'") else { return }
        guard let frame = text.frame(from: position, startingAt: start) else { return }
        guard assembly.addFrame(frame, isLoose: true) else { return }
        position = frame.end
    }
}

/// A chain of exceptions as shown in a text: the exception that was caught, those inside it, and where each was thrown.
package struct ExceptionChain: Sendable, Equatable {
    /// One exception of the chain.
    package struct Link: Sendable, Equatable {
        /// The type, with the namespace if the text has it; `nil` if only the message was logged.
        package var type: String?
        /// The message as it appears in the text, without blanks around it.
        package var message: String
        /// The HRESULT after the type, as in `COMException (0x80070005)`.
        package var hresult: UInt32?
        /// The frames of its stack trace, beginning with the one that threw.
        package var frames: [StackFrame]

        /// True for an exception that only refers to the one inside it.
        package var isWrapper: Bool {
            guard let type else { return message.isEmpty && frames.isEmpty }
            return Self.wrappers.contains(StackFrame.lastName(of: type))
        }

        private static let wrappers = """
            AggregateException CmdletInvocationException FaultException HttpUnhandledException
            MethodInvocationException TargetInvocationException TypeInitializationException XamlParseException
            """.wordSet
    }

    /// The exceptions: the one that was caught, followed by its cause, and so on.
    package var links: [Link]
    /// The range of the chain, in UTF-8 bytes of the text.
    package var range: Range<Int>
    /// True if frames or exceptions were left out because there were too many.
    package var isShortened: Bool

    /// The exception that was thrown first.
    package var innermost: Link { links[links.count - 1] }

    /// The innermost exception that is not a wrapper.
    ///
    /// A data set's exception names the column without a value, whereas the inner one only reports that a cast failed.
    package var headline: Link {
        links.last { $0.type.map { StackFrame.lastName(of: $0) } == "StrongTypingException" }
            ?? links.last { !$0.isWrapper } ?? innermost
    }

    /// The frames of all exceptions, from the throwing method outward.
    package var frames: [StackFrame] { links.reversed().flatMap(\.frames) }

    /// The frame that threw.
    package var thrower: StackFrame? { links.last { !$0.frames.isEmpty }?.frames.first }

    /// The first frame outside the runtime: the method whose call into the runtime failed.
    ///
    /// A SharePoint method that only passes on a failure is used only if there is no other frame.
    package var firstBeyondRuntime: StackFrame? {
        frames.first { !$0.isRuntime && !$0.passesOn } ?? frames.first { !$0.isRuntime }
    }

    /// The first frame that is custom or third-party code.
    package var firstBeyondMicrosoft: StackFrame? { frames.first { !$0.isMicrosoft } }

    /// A call from custom code with an argument that a method of Microsoft's rejected.
    var rejectedCall: (caller: StackFrame, method: StackFrame)? {
        guard let type = headline.type, StackFrame.lastName(of: type).hasPrefix("Argument") else { return nil }
        let frames = frames.filter { !$0.isRuntime }
        guard frames.count > 1, frames[0].isMicrosoft, !frames[1].isMicrosoft else { return nil }
        return (frames[1], frames[0])
    }

    /// Returns whether both are the same exception, with or without its namespace and more of the text.
    func repeats(_ other: ExceptionChain) -> Bool {
        guard let type = headline.type, let theirs = other.headline.type else { return false }
        return StackFrame.lastName(of: type) == StackFrame.lastName(of: theirs)
            && !headline.message.isEmpty && other.headline.message.hasPrefix(headline.message)
    }

    /// The identity of an exception, regardless of how it was logged: with or without its type, alone or inside others,
    /// truncated or complete.
    ///
    /// Two failures at the same place with the same message have the same identity.
    package var identity: String {
        let words = headline.message.prefix(400).split { $0 == " " || $0.isNewline || $0 == "\t" || $0 == "." }
        return (thrower?.name ?? headline.type ?? "") + "|" + words.joined(separator: " ").prefix(200)
    }
}

/// One frame of a stack trace.
package struct StackFrame: Sendable, Equatable, CustomStringConvertible {
    /// The method with its type and namespace, without arguments.
    package let name: String

    package init(_ name: String) { self.name = name }

    package var description: String { name }

    /// The type with its namespace; empty for a method without one, such as `lambda_method`.
    package var type: String {
        guard var dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "" }
        // The name of a constructor is .ctor, so there are two dots.
        if dot > name.startIndex, name.utf8[name.utf8.index(before: dot)] == UInt8(ascii: ".") {
            dot = name.utf8.index(before: dot)
        }
        return String(name[..<dot])
    }

    /// True for the runtime's own code, and for code that it generates.
    package var isRuntime: Bool {
        Self.runtimes.contains { name.hasPrefix($0) } || !name.utf8.contains(UInt8(ascii: "."))
    }

    private static let runtimes = [
        "System.", "mscorlib", "MS.Internal.", "java.", "javax.", "jdk.", "sun.", "org.eclipse.jetty.", "io.netty.",
    ]

    /// True for SharePoint methods that turn a native failure into an exception, regardless of the caller.
    var passesOn: Bool { name.hasPrefix("Microsoft.SharePoint.SPGlobal.Handle") }

    /// True for the runtime, for the products of Microsoft and the search engines, and for code that these include or
    /// generate.
    package var isMicrosoft: Bool {
        isRuntime || Self.microsoft.contains { name.hasPrefix($0) }
    }

    private static let microsoft = [
        "Microsoft.", "Microsoft..", "ASP.", "DynamicClass.", "Interop.", "Windows.", "Newtonsoft.Json.", "uls.native.",
        "org.apache.", "org.elasticsearch.", "org.opensearch.",
    ]

    /// Returns the unqualified name of a type, without its namespace, outer type and number of parameters.
    static func lastName(of type: String) -> String {
        let tail = type.utf8.split { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "+") }.last ?? type.utf8[...]
        return String(decoding: tail.prefix { $0 != UInt8(ascii: "`") }, as: UTF8.self)
    }
}

/// Assembles chains from headers, frames and line ends, in the order of the text.
struct ChainAssembly {
    /// The facts known so far about an exception.
    fileprivate struct Draft {
        var type: Range<Int>?
        var hresult: UInt32?
        /// The offsets of the beginning of the message and, if known, of its end.
        var messageStart: Int
        var messageEnd: Int?
        /// The end of the message's first line, which is the end of the message if no stack trace follows.
        var lineEnd: Int?
        var frames: [Range<Int>] = []
    }

    /// The maximum length of the text between two frames, and the maximum number of lines between a message and its
    /// frames.
    private static let (maximumGap, maximumLines) = (300, 12)

    private let bytes: [UInt8]
    private var finished: [ExceptionChain] = []
    /// The exceptions of the open chain, the outermost first; empty if none is open.
    private var drafts: [Draft] = []
    private var start = 0
    /// The end of the last part of the open chain.
    private var end = 0
    private var isBracketed = false
    private var isShortened = false
    private var frameCount = 0
    private var lines = 0
    /// The exception that the next frame is part of.
    private var current = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isOpen: Bool { !drafts.isEmpty }
    var isFull: Bool { finished.count >= ExceptionText.maximumChains }

    // MARK: Headers

    /// Adds an exception without an arrow: the beginning of a chain, or one in a message.
    mutating func add(_ header: TextBytes.Header, isBracketed: Bool) {
        if isBracketed, self.isBracketed, frameCount > 0, isBlank(end..<header.start - 1) {
            // An error page begins with the innermost exception.
            insert(Draft(header), header.start..<header.end, at: 0)
            current = 0
        } else if let last = drafts.indices.last, frameCount == 0, drafts[last].type == nil,
            isBlank(drafts[last].messageStart..<header.start)
        {
            drafts[last] = Draft(header)
            end = header.end
        } else if !drafts.isEmpty, frameCount == 0, lines == 0 || isValue(before: header.start) {
            insert(Draft(header), header.start..<header.end, at: drafts.count)
        } else {
            begin(Draft(header), from: header.start, to: header.end)
            self.isBracketed = isBracketed
        }
    }

    /// Adds an exception that follows an arrow or a label, which is also within the range.
    fileprivate mutating func addInner(_ draft: Draft, _ range: Range<Int>, isRepetition: Bool = false) {
        guard !drafts.isEmpty, !(isRepetition && frameCount > 0) else {
            return begin(draft, from: range.lowerBound, to: range.upperBound)
        }
        endMessage(at: range.lowerBound)
        insert(draft, range, at: drafts.count)
    }

    /// Begins an exception whose message alone was logged, unless these words are part of a message.
    mutating func open(_ opening: TextBytes.Opening) {
        guard drafts.isEmpty || frameCount > 0 else { return }
        begin(Draft(messageStart: opening.end), from: opening.start, to: opening.end)
    }

    private mutating func insert(_ draft: Draft, _ range: Range<Int>, at index: Int) {
        end = range.upperBound
        lines = 0
        guard drafts.count < ExceptionText.maximumLinks else {
            isShortened = true
            return
        }
        if index > 0, drafts[index - 1].messageEnd == nil { drafts[index - 1].messageEnd = range.lowerBound }
        drafts.insert(draft, at: index)
        current = index
    }

    private mutating func begin(_ draft: Draft, from start: Int, to end: Int) {
        close()
        guard !isFull else { return }
        drafts = [draft]
        (self.start, self.end) = (start, end)
    }

    // MARK: Frames

    /// Adds a frame to its exception.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - isLoose: Whether it could also be ordinary prose, so that more evidence is needed.
    /// - Returns: False if it turns out not to be a frame.
    @discardableResult
    mutating func addFrame(_ frame: TextBytes.Frame, isLoose: Bool) -> Bool {
        if !drafts.isEmpty, frameCount > 0, !continues(at: frame.start) { close() }
        if drafts.isEmpty {
            guard !isLoose || frame.dots >= 2 else { return false }
            begin(Draft(messageStart: frame.start), from: frame.start, to: frame.start)
            guard !drafts.isEmpty else { return false }
        } else if isLoose, frame.dots == 0, frameCount == 0 {
            return false
        }
        endMessage(at: frame.start)
        end = frame.end
        lines = 0
        frameCount += 1
        guard frameCount <= ExceptionText.maximumFrames else {
            isShortened = true
            return true
        }
        drafts[current].frames.append(frame.name)
        return true
    }

    /// Returns true if a frame at this position continues the open stack trace, because only a file name separates
    /// them.
    private func continues(at place: Int) -> Bool {
        guard place >= end, place - end <= Self.maximumGap else { return false }
        guard let line = bytes[end..<place].firstIndex(of: UInt8(ascii: "\n")) else { return true }
        return isBlank(line..<place)
    }

    /// Ends the stack trace of an inner exception; the frames of the enclosing exception follow.
    mutating func endTrace(isInner: Bool, _ marker: Range<Int>) {
        guard !drafts.isEmpty, frameCount == 0 || continues(at: marker.lowerBound) else { return }
        endMessage(at: marker.lowerBound)
        end = marker.upperBound
        if isInner { current = max(0, current - 1) }
    }

    // MARK: Messages

    /// Ends the open message, if there is one.
    mutating func endMessage(at place: Int) {
        guard let last = drafts.indices.last, drafts[last].messageEnd == nil, place >= drafts[last].messageStart else {
            return
        }
        drafts[last].messageEnd = place
    }

    /// Records the end of a line, or of a column, in the open message.
    mutating func endMessageLine(at place: Int) {
        guard let last = drafts.indices.last, drafts[last].messageEnd == nil else { return }
        lines += 1
        if drafts[last].lineEnd == nil, !isBlank(drafts[last].messageStart..<place) { drafts[last].lineEnd = place }
        if frameCount == 0, lines > Self.maximumLines { close() }
    }

    /// Records a line end; a chain extends neither into the next row nor far beyond its message.
    mutating func endLine(at place: Int, startsRow: Bool) {
        guard !drafts.isEmpty else { return }
        endMessageLine(at: place)
        if startsRow { close() }
    }

    // MARK: Results

    /// Returns all chains; the last one ends where the text ends.
    mutating func finish(at count: Int) -> [ExceptionChain] {
        if let last = drafts.indices.last, drafts[last].messageEnd == nil, drafts[last].lineEnd == nil {
            drafts[last].messageEnd = count
        }
        close()
        return finished
    }

    private mutating func close() {
        let links = drafts.map { draft in
            ExceptionChain.Link(
                type: draft.type.map { String(decoding: bytes[$0], as: UTF8.self) },
                message: message(of: draft),
                hresult: draft.hresult,
                frames: draft.frames.map { StackFrame(String(decoding: bytes[$0], as: UTF8.self)) }
            )
        }
        if !isFull, links.contains(where: { $0.type != nil || !$0.frames.isEmpty || $0.message.utf8.count >= 8 }) {
            let range = start..<max(end, start)
            finished.append(ExceptionChain(links: links.map(Self.named), range: range, isShortened: isShortened))
        }
        drafts = []
        (isBracketed, isShortened) = (false, false)
        (frameCount, lines, current) = (0, 0, 0)
    }

    private func message(of draft: Draft) -> String {
        var range = draft.messageStart..<(draft.messageEnd ?? draft.lineEnd ?? end)
        if range.count > ExceptionText.maximumMessage {
            range = range.lowerBound..<range.lowerBound + ExceptionText.maximumMessage
            // Do not end within a character.
            while range.upperBound < bytes.count, bytes[range.upperBound] & 0xC0 == 0x80 {
                range = range.lowerBound..<range.upperBound - 1
            }
        }
        var text = bytes[range]
        while let first = text.first, first.isBlank { text.removeFirst() }
        let closing: [UInt8] = isBracketed ? [0x5D] : [0x2C, 0x2D, 0x3C, 0x5B]
        while let last = text.last, last.isBlank || closing.contains(last) || isQuote(at: text.endIndex - 1) {
            text.removeLast()
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns true for the mark of a quoted ticket at the beginning of a line.
    private func isQuote(at index: Int) -> Bool {
        bytes[index] == UInt8(ascii: ">") && index > 0 && bytes[index - 1] == UInt8(ascii: "\n")
    }

    /// Takes the type from the runtime's default message if the type was not logged separately.
    private static func named(_ link: ExceptionChain.Link) -> ExceptionChain.Link {
        guard link.type == nil, let quote = link.message.utf8.firstIndex(of: UInt8(ascii: "'")),
            link.message.hasPrefix("Exception of type '")
        else { return link }
        let rest = link.message[link.message.utf8.index(after: quote)...]
        guard let close = rest.utf8.firstIndex(of: UInt8(ascii: "'")), close > rest.startIndex else { return link }
        var link = link
        link.type = String(rest[..<close])
        return link
    }

    /// Returns true if the value of a fault follows: "… whose value is:".
    private func isValue(before place: Int) -> Bool {
        var last = place
        while last > 0, bytes[last - 1].isBlank { last -= 1 }
        return last >= 9 && bytes[last - 9..<last].elementsEqual("value is:".utf8)
    }

    private func isBlank(_ range: Range<Int>) -> Bool {
        bytes[range].allSatisfy { $0.isBlank || [0x22, 0x27, 0x3E, 0x5B, 0x5D, 0x7C].contains($0) }
    }
}

extension ChainAssembly.Draft {
    fileprivate init(_ header: TextBytes.Header) {
        self.init(type: header.type, hresult: header.hresult, messageStart: header.end)
        guard let message = header.message else { return }
        (messageStart, messageEnd) = (message.lowerBound, message.upperBound)
    }
}
