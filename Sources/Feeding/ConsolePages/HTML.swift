import ReportKit
import TextKit

/// HTML that is escaped by construction: text can be added only through initializers that escape it, and the names of
/// elements and attributes are literals in the program.
///
/// ```swift
/// HTML("p", .class("note")) {
///     "The document "
///     HTML("a", .href(path)) { id }
/// }
/// ```
package struct HTML: Sendable {
    /// The bytes of the markup.
    package private(set) var bytes: [UInt8] = []

    /// Creates empty HTML.
    package init() {}

    /// Creates text, replacing characters that would be invisible or change the display of others with symbols.
    package init(text: String) { bytes.append(html: text, keepsLines: true) }

    /// Creates unchanged text, for fields in which a user edits it.
    package init(verbatim text: String) { bytes.append(escapingHTML: Array(text.utf8)) }

    /// Creates an element with attributes and contents.
    package init(_ name: StaticString, _ attributes: Attribute..., @HTMLBuilder content: () -> HTML = { HTML() }) {
        self.init(name, attributes, content: content)
    }

    /// Creates an element with a list of attributes.
    package init(_ name: StaticString, _ attributes: [Attribute], @HTMLBuilder content: () -> HTML = { HTML() }) {
        let name = "\(name)"
        bytes.append(contentsOf: "<\(name)".utf8)
        for attribute in attributes { attribute.append(to: &bytes) }
        bytes.append(UInt8(ascii: ">"))
        guard !Self.voidNames.contains(name) else { return }
        // A parser ignores the first line break in these elements.
        if name == "textarea" || name == "pre" { bytes.append(UInt8(ascii: "\n")) }
        bytes += content().bytes
        bytes.append(contentsOf: "</\(name)>".utf8)
    }

    private static let voidNames: Set<String> = ["br", "hr", "img", "input", "link", "meta"]

    package static func + (left: HTML, right: HTML) -> HTML {
        var sum = left
        sum.bytes += right.bytes
        return sum
    }

    /// The markup of a whole page.
    var page: [UInt8] { Array("<!DOCTYPE html>\n".utf8) + bytes }
}

extension HTML {
    /// An attribute of an element; its value is escaped.
    package struct Attribute: Sendable {
        private let name: String
        private let value: String?

        /// Creates an attribute with a value or without one, such as `required`.
        package init(_ name: StaticString, _ value: String? = nil) { (self.name, self.value) = ("\(name)", value) }

        package static func `class`(_ name: String) -> Attribute { Attribute("class", name) }
        package static func id(_ name: String) -> Attribute { Attribute("id", name) }
        package static func type(_ name: String) -> Attribute { Attribute("type", name) }
        package static func name(_ name: String) -> Attribute { Attribute("name", name) }
        package static func value(_ value: String) -> Attribute { Attribute("value", value) }

        /// Returns a link within this server; any other address is replaced with the start page.
        package static func href(_ path: String) -> Attribute { Attribute("href", Self.own(path)) }
        package static func action(_ path: String) -> Attribute { Attribute("action", Self.own(path)) }
        package static func src(_ path: String) -> Attribute { Attribute("src", Self.own(path)) }

        /// Returns an attribute that is present if a condition is met.
        package static func flag(_ name: StaticString, _ isSet: Bool) -> [Attribute] {
            isSet ? [Attribute(name)] : []
        }

        /// Returns a path on this server, which begins with a slash and not with the name of another server.
        static func own(_ path: String) -> String {
            let bytes = Array(path.utf8.prefix(2))
            let isOwn = bytes.first == UInt8(ascii: "/") && (bytes.count < 2 || !"/\\".utf8.contains(bytes[1]))
            return isOwn && !path.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: "\\") } ? path : ConsolePath.start
        }

        fileprivate func append(to output: inout [UInt8]) {
            output.append(contentsOf: " \(name)".utf8)
            guard let value else { return }
            output.append(contentsOf: "=\"".utf8)
            output.append(escapingHTML: Array(value.utf8))
            output.append(UInt8(ascii: "\""))
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(escapingHTML text: [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): append(contentsOf: "&gt;".utf8)
            case UInt8(ascii: "\""): append(contentsOf: "&quot;".utf8)
            case UInt8(ascii: "'"): append(contentsOf: "&#39;".utf8)
            case 0: append(contentsOf: "\u{FFFD}".utf8)
            // A parser would read the character as a line feed.
            case UInt8(ascii: "\r"): append(contentsOf: "&#13;".utf8)
            default: append(byte)
            }
        }
    }
}

/// A builder of HTML from elements and from strings, which become text.
@resultBuilder
package enum HTMLBuilder {
    package static func buildExpression(_ html: HTML) -> HTML { html }
    package static func buildExpression(_ text: String) -> HTML { HTML(text: text) }
    package static func buildBlock(_ parts: HTML...) -> HTML { buildArray(parts) }
    package static func buildOptional(_ part: HTML?) -> HTML { part ?? HTML() }
    package static func buildEither(first: HTML) -> HTML { first }
    package static func buildEither(second: HTML) -> HTML { second }
    package static func buildArray(_ parts: [HTML]) -> HTML { parts.reduce(HTML(), +) }
}

// MARK: - Paths

/// Paths of this server, with every part escaped.
package enum ConsolePath {
    package static let start = "/console/"

    /// Returns a path of the console: `ConsolePath.of("collections", name)` is `/console/collections/NAME`.
    package static func of(_ parts: String..., query: [(name: String, value: String)] = []) -> String {
        path("/console", parts, query)
    }

    /// Returns a path of the public API: `ConsolePath.api("sessions", id)` is `/v1/sessions/ID`.
    package static func api(_ parts: String..., query: [(name: String, value: String)] = []) -> String {
        path("/v1", parts, query)
    }

    private static func path(_ root: String, _ parts: [String], _ query: [(name: String, value: String)]) -> String {
        parts.reduce(root) { $0 + "/" + Percent.encoded($1.utf8) } + self.query(query)
    }

    /// Returns the query of an address with its question mark; empty if there are no items.
    package static func query(_ items: [(name: String, value: String)]) -> String {
        guard !items.isEmpty else { return "" }
        let items = items.map { "\(Percent.encoded($0.name.utf8))=\(Percent.encoded($0.value.utf8))" }
        return "?" + items.joined(separator: "&")
    }
}

/// The fields of a form, as browsers send them (`application/x-www-form-urlencoded`).
package struct FormFields: Sendable {
    package let all: [(name: String, value: String)]

    package init(_ bytes: [UInt8]) {
        all = bytes.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.text(parts[0]), parts.count > 1 ? Self.text(parts[1]) : "")
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: Percent.decoded(spaced), as: UTF8.self)
    }

    /// The first value of a field; empty if there is none.
    package subscript(name: String) -> String { all.first { $0.name == name }?.value ?? "" }
}
