/// Chains in the making: headers, frames and line ends come in the order of the text.
struct ChainAssembly {
    /// What is known of an exception so far.
    fileprivate struct Draft {
        var type: Range<Int>?
        var hresult: UInt32?
        /// Where its message begins, and where it ends as far as is known.
        var messageStart: Int
        var messageEnd: Int?
        /// The end of the message's first line: its end if no stack trace follows.
        var lineEnd: Int?
        var frames: [Range<Int>] = []
    }

    /// The text between two frames, and the lines between a message and its frames.
    private static let (maximumGap, maximumLines) = (300, 12)

    private let bytes: [UInt8]
    private var finished: [ExceptionChain] = []
    /// The exceptions of the open chain, the outermost first; empty if none is open.
    private var drafts: [Draft] = []
    private var start = 0
    /// Where the last thing of the open chain ends.
    private var end = 0
    private var isBracketed = false
    private var isShortened = false
    private var frameCount = 0
    private var lines = 0
    /// The exception that the next frame belongs to.
    private var current = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isFull: Bool { finished.count >= ExceptionText.maximumChains }

    // MARK: Headers

    /// Adds an exception that no arrow leads to: the beginning of a chain, or one told within a message.
    mutating func add(_ header: TextBytes.Header, isBracketed: Bool) {
        if isBracketed, self.isBracketed, frameCount > 0, isBlank(end..<header.start - 1) {
            // An error page begins with the innermost exception.
            insert(header, at: 0)
            current = 0
        } else if let last = drafts.indices.last, frameCount == 0, drafts[last].type == nil,
            isBlank(drafts[last].messageStart..<header.start)
        {
            drafts[last] = Draft(header)
            end = header.end
        } else if !drafts.isEmpty, frameCount == 0, lines == 0 || isValue(before: header.start) {
            insert(header, at: drafts.count)
        } else {
            begin(Draft(header), from: header.start, to: header.end)
            self.isBracketed = isBracketed
        }
    }

    /// Adds an exception that an arrow leads to.
    mutating func addInner(_ header: TextBytes.Header, from arrow: Int, isRepetition: Bool) {
        guard !drafts.isEmpty, !(isRepetition && frameCount > 0) else {
            return begin(Draft(header), from: header.start, to: header.end)
        }
        endMessage(at: arrow)
        insert(header, at: drafts.count)
    }

    /// Begins an exception of which only the message was logged, unless these words are part of a message.
    mutating func open(_ opening: TextBytes.Opening) {
        guard drafts.isEmpty || frameCount > 0 else { return }
        begin(Draft(messageStart: opening.end), from: opening.start, to: opening.end)
    }

    private mutating func insert(_ header: TextBytes.Header, at index: Int) {
        end = header.end
        lines = 0
        guard drafts.count < ExceptionText.maximumLinks else {
            isShortened = true
            return
        }
        if index > 0, drafts[index - 1].messageEnd == nil { drafts[index - 1].messageEnd = header.start }
        drafts.insert(Draft(header), at: index)
        current = index
    }

    private mutating func begin(_ draft: Draft, from start: Int, to end: Int) {
        close()
        guard !isFull else { return }
        drafts = [draft]
        (self.start, self.end) = (start, end)
    }

    // MARK: Frames

    /// Adds a frame to the exception it belongs to.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - isLoose: Whether a word of prose may be taken for it, so that it needs more evidence.
    /// - Returns: False if it is no frame after all.
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

    /// True if a frame at this place goes on with the open stack trace: nothing but a file name stands between them.
    private func continues(at place: Int) -> Bool {
        guard place >= end, place - end <= Self.maximumGap else { return false }
        guard let line = bytes[end..<place].firstIndex(of: UInt8(ascii: "\n")) else { return true }
        return isBlank(line..<place)
    }

    /// Ends the stack trace of an inner exception: the frames of the one around it follow.
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

    /// Notes the end of a line, or of a column, in the open message.
    mutating func endMessageLine(at place: Int) {
        guard let last = drafts.indices.last, drafts[last].messageEnd == nil else { return }
        lines += 1
        if drafts[last].lineEnd == nil, !isBlank(drafts[last].messageStart..<place) { drafts[last].lineEnd = place }
        if frameCount == 0, lines > Self.maximumLines { close() }
    }

    /// Notes a line end; a chain does not reach into the next row, nor far beyond its message.
    mutating func endLine(at place: Int, startsRow: Bool) {
        guard !drafts.isEmpty else { return }
        endMessageLine(at: place)
        if startsRow { close() }
    }

    // MARK: Results

    /// Returns all chains; the last ends with the text.
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
            // Half a character is none.
            while range.upperBound < bytes.count, bytes[range.upperBound] & 0xC0 == 0x80 {
                range = range.lowerBound..<range.upperBound - 1
            }
        }
        var text = bytes[range]
        while let first = text.first, first.isBlank { text.removeFirst() }
        let closing: [UInt8] = isBracketed ? [0x5D] : [0x2C, 0x5B]
        while let last = text.last, last.isBlank || closing.contains(last) || isQuote(at: text.endIndex - 1) {
            text.removeLast()
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// True for the mark of a quoted ticket that stands at the beginning of a line.
    private func isQuote(at index: Int) -> Bool {
        bytes[index] == UInt8(ascii: ">") && index > 0 && bytes[index - 1] == UInt8(ascii: "\n")
    }

    /// Takes the type from the runtime's default message if it was not logged otherwise.
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

    /// True if a value of a fault follows: "… whose value is:".
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
