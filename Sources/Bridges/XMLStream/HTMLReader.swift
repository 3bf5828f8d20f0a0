import CLibXML2

/// Reads HTML, well-formed or not, as a stream of events, never as a tree.
///
/// libxml2's parser supplies missing tags and skips wrong ones. Nothing is fetched, and reading stops if a limit is
/// exceeded.
package enum HTMLReader {
    /// One step through the page; names are in lowercase.
    package enum Event: Hashable, Sendable {
        case startElement(name: String, attributes: [XMLReader.Attribute])
        /// A piece of text as UTF-8; an element's text may be reported in several pieces.
        case text([UInt8])
        /// The content of a script or a style, which is not readable text.
        case data([UInt8])
        case endElement(name: String)
    }

    /// The limits on a page.
    package struct Limits: Sendable {
        /// The longest page, in bytes.
        package var bytes = 16 << 20
        /// The maximum number of elements open at once: all of them are examined for each end tag.
        package var depth = 1000
        /// The maximum number of attributes read from one element; others are skipped.
        package var attributes = 256

        /// Creates the default limits.
        package init() {}
    }

    /// Reads a page in UTF-8, regardless of its declared encoding, and calls `body` with each step.
    ///
    /// - Throws: An ``XMLError`` if the page exceeds a limit.
    package static func read(_ utf8: [UInt8], limits: Limits = Limits(), _ body: (Event) -> Void) throws(XMLError) {
        guard utf8.count <= min(limits.bytes, Int(CInt.max)) else {
            throw XMLError(code: .tooLarge, message: "more than \(limits.bytes) bytes", line: 1)
        }
        guard !utf8.isEmpty else { return }
        _ = isReady
        // The check for an escape contains the path of the file, and thus the folder of the build; this is its name alone.
        #sourceLocation(file:"HTMLReader",line:42)
        let flaw = withoutActuallyEscaping(body) { body in parse(utf8, HTMLEvents(limits, body)) }
        #sourceLocation()
        if let flaw { throw flaw }
    }

    /// libxml2 is initialized once, because several threads must not initialize it concurrently.
    private static let isReady: Void = xmlInitParser()

    private static func parse(_ utf8: [UInt8], _ events: HTMLEvents) -> XMLError? {
        guard let context = htmlNewParserCtxt() else {
            return XMLError(code: .tooLarge, message: "not enough memory to read it", line: 1)
        }
        defer { htmlFreeParserCtxt(context) }
        events.context = context
        context.pointee.sax.pointee = HTMLEvents.handler
        context.pointee.userData = Unmanaged.passUnretained(events).toOpaque()
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
            | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
        let tree = utf8.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                htmlCtxtReadMemory(context, $0.baseAddress, CInt($0.count), nil, "UTF-8", CInt(options))
            }
        }
        // The handlers don't build a tree, so there usually is none.
        xmlFreeDoc(tree)
        events.finish()
        return events.flaw
    }
}

/// Forwards libxml2's events.
///
/// This is a class, because libxml2 keeps its address while parsing.
private final class HTMLEvents {
    private let limits: HTMLReader.Limits
    private let body: (HTMLReader.Event) -> Void
    /// The elements that are open.
    private var open: [String] = []
    /// The reason to stop reading.
    private(set) var flaw: XMLError?
    var context: htmlParserCtxtPtr?

    init(_ limits: HTMLReader.Limits, _ body: @escaping (HTMLReader.Event) -> Void) {
        (self.limits, self.body) = (limits, body)
    }

    /// The callbacks for libxml2; those that build a tree, report errors or load data are omitted.
    static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.startElement = { events, name, attributes in HTMLEvents.of(events)?.start(name, attributes) }
        handler.endElement = { events, name in HTMLEvents.of(events)?.end(name) }
        handler.characters = { events, text, count in HTMLEvents.of(events)?.take(text, count, HTMLReader.Event.text) }
        handler.ignorableWhitespace = { events, text, count in
            HTMLEvents.of(events)?.take(text, count, HTMLReader.Event.text)
        }
        handler.cdataBlock = { events, text, count in HTMLEvents.of(events)?.take(text, count, HTMLReader.Event.data) }
        return handler
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> HTMLEvents? {
        pointer.map { Unmanaged<HTMLEvents>.fromOpaque($0).takeUnretainedValue() }
    }

    private func start(_ name: UnsafePointer<xmlChar>?, _ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
        guard flaw == nil else { return }
        guard open.count < limits.depth else {
            let line = context?.pointee.input?.pointee.line ?? 1
            flaw = XMLError(code: .tooLarge, message: "nested deeper than \(limits.depth)", line: max(1, Int(line)))
            xmlStopParser(context)
            return
        }
        var attributes: [XMLReader.Attribute] = []
        var place = list
        while let current = place, let name = current.pointee, attributes.count < limits.attributes {
            let value = current.advanced(by: 1).pointee.map { String(cString: $0) } ?? ""
            attributes.append(XMLReader.Attribute(name: String(cString: name), value: value))
            place = current.advanced(by: 2)
        }
        open.append(Self.text(name))
        body(.startElement(name: Self.text(name), attributes: attributes))
    }

    /// Ends an element, and the elements within it whose end libxml2 does not report, such as those with a truncated
    /// tag.
    private func end(_ name: UnsafePointer<xmlChar>?) {
        guard flaw == nil, let place = open.lastIndex(of: Self.text(name)) else { return }
        while open.count > place, let last = open.popLast() { body(.endElement(name: last)) }
    }

    /// Ends the elements that are still open at the end of the page.
    func finish() {
        guard flaw == nil else { return }
        while let last = open.popLast() { body(.endElement(name: last)) }
    }

    private func take(_ text: UnsafePointer<xmlChar>?, _ count: CInt, _ event: ([UInt8]) -> HTMLReader.Event) {
        guard flaw == nil, let text, count > 0 else { return }
        body(event(Array(UnsafeBufferPointer(start: text, count: Int(count)))))
    }

    private static func text(_ name: UnsafePointer<xmlChar>?) -> String { name.map { String(cString: $0) } ?? "" }
}
