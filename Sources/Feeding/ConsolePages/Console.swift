package import HTTPService
package import JSONText
import TextKit

// How a page is added
// ===================
//
// 1. A page is a `ConsolePage`: a method, a path pattern, and an async function that takes the context of a request
//    (`PageContext`) and returns an answer (`PageAnswer`). Write it in a separate file, in a static list:
//
//        enum JobPages {
//            static let all = [
//                ConsolePage("/console/jobs", in: .jobs) { context in
//                    let jobs = try await context.get(ConsolePath.api("sessions", query: [("limit", "50")]))
//                    return .page(context[.jobs]) { … }
//                }
//            ]
//        }
//
// 2. Add the list to `Console.pages` below. `in:` adds a link with that text to the navigation.
// 3. Texts are pairs of English and German: `extension ConsoleText { static let jobs = ConsoleText("Jobs", "Läufe") }`.
// 4. All data comes from the public API: `context.get` reads with the rights of the signed-in user, and throws an
//    `APIRefusal`, which replaces the contents of the page or, inside `context.panel`, of the panel. A form posts to a
//    page with the method `.post`, which calls `context.send`; `context.form` adds the session's token to the form, and
//    omits the form if the console is read-only. Show an action only if `context.user` has the right to perform it.
// 5. The script enhances pages according to their attributes, which Assets/console.mjs lists, so a page needs no script
//    of its own.

/// A page of the console, or an action of one of its forms.
package struct ConsolePage: Sendable {
    let method: RequestMethod
    let pattern: String
    /// The text of the page's link in the navigation; `nil` if there is no link.
    let navigation: ConsoleText?
    let isForAdministrators: Bool
    /// Whether a request to the page does not change anything although it is posted, so it works even in a read-only
    /// console.
    let isReading: Bool
    /// Whether the script may also post an unencoded file to the page, of any size that the API accepts.
    let takesFiles: Bool
    let content: @Sendable (PageContext) async throws -> PageAnswer

    package init(
        _ pattern: String,
        _ method: RequestMethod = .get,
        in navigation: ConsoleText? = nil,
        isForAdministrators: Bool = false,
        isReading: Bool = false,
        takesFiles: Bool = false,
        content: @escaping @Sendable (PageContext) async throws -> PageAnswer
    ) {
        self.method = method
        self.pattern = pattern
        self.navigation = navigation
        self.isForAdministrators = isForAdministrators
        self.isReading = isReading || method == .get
        self.takesFiles = takesFiles
        self.content = content
    }
}

extension Console {
    /// The pages, in the order of the navigation.
    static let pages: [ConsolePage] =
        OverviewPages.all + CollectionPages.all + DocumentPages.all + JobPages.all + FailurePages.all
        + PlanPages.all + ConflictPages.all + LogPages.all + SchedulePages.all + HookPages.all + NotificationPages.all
        + TokenPages.all + AuditPages.all
}

// MARK: - The responses of pages

/// The response of a page.
package enum PageAnswer: Sendable {
    /// A page with a title, which is also its heading, and the contents below the heading.
    case page(title: String, status: ResponseStatus, main: HTML)
    /// A redirect to another page after an action.
    case seeOther(String)
    /// Events for the script, sent while the server is working.
    case events(@Sendable (ResponseWriter) async throws -> Void)

    package static func page(
        _ title: String,
        status: ResponseStatus = .ok,
        @HTMLBuilder main: () throws -> HTML
    ) rethrows -> PageAnswer {
        .page(title: title, status: status, main: try main())
    }
}

/// A refusal of the public API, as shown to the user.
package struct APIRefusal: Error, Sendable {
    package let status: Int
    package let code: String
    package let message: String
    package let advice: String?

    init(_ problem: ServiceProblem) {
        (status, code, message, advice) = (problem.status.code, problem.code, problem.message, problem.advice)
    }

    init(status: Int, code: String, message: String) {
        (self.status, self.code, self.message, advice) = (status, code, message, nil)
    }

    init(status: Int, body: [UInt8]) {
        let problem = (try? JSONValue(body)) ?? .null
        self.status = status
        code = problem["code"].text ?? "status\(status)"
        message = problem["message"].text ?? "the server responded with status \(status)"
        advice = problem["advice"].text
    }

    /// The refusal as part of a page.
    package var html: HTML {
        HTML("div", .class("refusal"), .init("role", "alert")) {
            HTML("p") {
                HTML("strong") { message }
                if let advice { ": \(advice)" }
            }
            HTML("p", .class("detail")) { "\(status) \(code)" }
        }
    }
}

// MARK: - The context of a request

/// The signed-in user, as the API describes the token (`GET /v1/me`).
package struct ConsoleUser: Sendable {
    package let name: String
    package let isAdmin: Bool
    private let collections: JSONValue

    init(_ me: JSONValue) {
        name = me["name"].text ?? ""
        isAdmin = me["role"].text == "admin"
        collections = me["collections"]
    }

    /// Returns whether the user may perform an action on at least some documents of a collection.
    package func may(_ verb: String, in collection: String) -> Bool {
        switch collections[collection][verb].text {
        case "all", "some": true
        case "none": false
        // The list may not yet include a collection that was created a moment ago.
        default: isAdmin
        }
    }
}

/// The context of a request: its parameters, the user, the language, and access to the API with the user's rights.
package struct PageContext: Sendable {
    package let request: ServedRequest
    /// The fields of the form that was posted.
    package let form: FormFields
    /// The file that was posted instead of a form; `nil` if there is none.
    package let file: RequestBody?
    package internal(set) var user: ConsoleUser
    package let isWritable: Bool
    package let language: ConsoleLanguage
    let session: ConsoleSession
    let api: @Sendable (ServedRequest) async -> ServedResponse

    /// The text in the user's language.
    package subscript(text: ConsoleText) -> String { text.text(in: language) }
    package subscript(text: ConsoleText, values: String...) -> String { text.text(in: language, values) }

    /// Returns a parameter of the page's pattern.
    package func parameter(_ name: String) throws(ServiceProblem) -> String { try request.parameter(name) }

    /// Returns a query item, or an empty string if it is missing.
    package func query(_ name: String) -> String { request.queryValue(name) ?? "" }

    /// Reads from the API; throws if the API refuses the request.
    package func get(_ path: String) async throws -> JSONValue { try JSONValue(await send(.get, path).body) }

    /// A response of the API.
    package struct Answer: Sendable {
        package let status: Int
        package let headers: HeaderFields
        package let body: [UInt8]
    }

    /// Sends a request to the API with the user's rights; throws if the API refuses it, unless the status is one of the
    /// allowed ones.
    package func send(
        _ method: RequestMethod,
        _ path: String,
        headers: HeaderFields = [:],
        body: [UInt8] = [],
        allowing allowed: Set<Int> = []
    ) async throws -> Answer {
        let contents: RequestBody = body.isEmpty ? .empty : .bytes(body)
        return try await send(method, path, headers: headers, streaming: contents, allowing: allowed)
    }

    /// Sends a request whose body is passed on as it arrives.
    package func send(
        _ method: RequestMethod,
        _ path: String,
        headers: HeaderFields = [:],
        streaming body: RequestBody,
        allowing allowed: Set<Int> = []
    ) async throws -> Answer {
        let response = await open(method, path, headers: headers, streaming: body)
        let bytes = try await response.collectBody(upTo: Self.maximumAnswer)
        let status = response.status.code
        guard (200..<300).contains(status) || allowed.contains(status) else {
            throw APIRefusal(status: status, body: bytes)
        }
        return Answer(status: status, headers: response.headers, body: bytes)
    }

    /// Sends a request, and returns the response, whose body may still be produced.
    func open(
        _ method: RequestMethod,
        _ path: String,
        headers: HeaderFields,
        streaming body: RequestBody
    ) async -> ServedResponse {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var fields = headers
        fields["Authorization"] = session.authorization
        if !body.isEmpty, fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
        // The client's address determines its rate limits, and is recorded in the audit log.
        for value in request.headers.values(of: "X-Forwarded-For") { fields.append("X-Forwarded-For", value) }
        return await api(
            ServedRequest(
                method,
                String(parts[0]),
                query: parts.count > 1 ? FormFields(Array(parts[1].utf8)).all : [],
                headers: fields,
                body: body,
                peerAddress: request.peerAddress,
                isSecure: request.isSecure,
                id: request.id
            )
        )
    }

    static let maximumAnswer = 64 << 20

    /// Returns a part of a page whose failure does not affect the other parts.
    package func panel(_ title: String, id: String, _ content: () async throws -> HTML) async throws -> HTML {
        let inside = try await tried(content)
        return HTML("section", .id(id), .init("aria-labelledby", "\(id)-title")) {
            HTML("h2", .id("\(id)-title")) { title }
            inside
        }
    }

    /// Returns the contents, or the API's refusal in their place.
    package func tried(_ content: () async throws -> HTML) async throws -> HTML {
        do {
            return try await content()
        } catch let refusal as APIRefusal where refusal.status != 401 {
            return refusal.html
        }
    }

    /// Returns a form that posts to a page; empty if the console is read-only and the form would change something.
    package func form(
        _ path: String,
        _ attributes: HTML.Attribute...,
        isReading: Bool = false,
        @HTMLBuilder content: () -> HTML
    ) -> HTML {
        guard isWritable || isReading else { return HTML() }
        return HTML("form", [.init("method", "post"), .action(path)] + attributes) {
            HTML("input", .type("hidden"), .name("csrf"), .value(session.csrf))
            content()
        }
    }
}

// MARK: - Parts of pages

extension PageContext {
    /// Returns a table with column headers and a caption, which is displayed as a heading.
    func table(
        _ caption: ConsoleText,
        _ columns: [ConsoleText],
        _ attributes: [HTML.Attribute] = [],
        @HTMLBuilder rows: () -> HTML = { HTML() }
    ) -> HTML {
        HTML("div", .class("wide"), .init("tabindex", "0")) {
            HTML("table", attributes) {
                HTML("caption", .class("hidden")) { self[caption] }
                HTML("thead") {
                    HTML("tr") {
                        for column in columns {
                            HTML("th", [.init("scope", "col")] + (column.isOfNumbers ? [.class("number")] : [])) {
                                self[column]
                            }
                        }
                    }
                }
                HTML("tbody", content: rows)
            }
        }
    }

    /// Returns the links to the first and the next page of a list; empty if the list has only one page.
    ///
    /// The path is the path of the first page; a query item specifies the position at which any other page begins.
    func pager(_ path: String, _ item: String, _ next: String?, isFirst: Bool) -> HTML {
        guard next != nil || !isFirst else { return HTML() }
        return HTML("nav", .class("pager"), .init("aria-label", self[.listPager])) {
            if !isFirst { HTML("a", .href(path)) { self[.firstPage] } }
            if let next {
                let query = ConsolePath.query([(item, next)])
                let separated = path.utf8.contains(UInt8(ascii: "?")) ? "&" + query.dropFirst() : query
                HTML("a", .init("rel", "next"), .href(path + separated)) { self[.nextPage] }
            }
        }
    }

    /// Returns the elements of a list that match the filter in the page's address; all elements if there is no filter.
    func filtered(_ elements: [JSONValue], _ filters: [ListFilter]) -> [JSONValue] {
        guard let filter = filters.first(where: { $0.name == query("state") }) else { return elements }
        return elements.filter(filter.admits)
    }

    /// Returns the number of elements that match each filter of a list, each as a link to these elements.
    ///
    /// If `isPart` is true, the list has more pages, so the numbers cover only the given elements.
    func counters(of elements: [JSONValue], _ filters: [ListFilter], _ path: String, isPart: Bool = false) -> HTML {
        func counter(_ name: String?, _ text: ConsoleText, _ count: Int) -> HTML {
            let address = path + ConsolePath.query(name.map { [("state", $0)] } ?? [])
            let isShown = request.path == path && query("state") == name ?? ""
            return HTML("li") {
                HTML("a", [.href(address)] + (isShown ? [.init("aria-current", "true")] : [])) {
                    "\(self[text]): \(count)"
                }
            }
        }
        return HTML("ul", .class("counters")) {
            counter(nil, .all, elements.count)
            for filter in filters { counter(filter.name, filter.text, elements.count(where: filter.admits)) }
        }
            + (isPart ? HTML("p", .class("detail")) { self[.countedHere, "\(elements.count)"] } : HTML())
    }

    /// Returns a time of the API in human-readable form, to the second.
    static func shown(time: String) -> String {
        let parts = time.split(separator: "T", maxSplits: 1)
        guard parts.count == 2, time.hasSuffix("Z") else { return time }
        return "\(parts[0]) \(parts[1].prefix { $0 != "." && $0 != "Z" }) UTC"
    }
}

/// A filter that selects a part of a list, to which the overview links with the number of elements.
struct ListFilter: Sendable {
    /// The maximum number of elements of a list in a panel of the overview.
    static let shownAtMost = 5

    let name: String
    let text: ConsoleText
    let admits: @Sendable (JSONValue) -> Bool

    init(_ name: String, _ text: ConsoleText, admits: @escaping @Sendable (JSONValue) -> Bool) {
        (self.name, self.text, self.admits) = (name, text, admits)
    }
}

extension ConsoleText {
    static let countedHere = ConsoleText(
        "Counted among the newest {} on this page; there are older ones.",
        "Gezählt unter den neuesten {} dieser Seite; es gibt ältere."
    )
}
