import ContentFeeding
import HTTPService
import Hooks
import JSONText
import TestSupport
import Testing

@testable import ContentDistributor

/// The order and the facets of a search, through requests to a server on a real embedded store.
extension DistributorTests {
    private static let path = "/v1/collections/Web/documents"

    private func load(_ count: Int, _ token: String, to server: ContentDistributor) async throws {
        for number in 0..<count {
            let json = #"{"n":\#(count - number),"color":"\#(number % 3 == 0 ? "red" : "blue")","tenant":"a"}"#
            let answer = try await send(.put, "\(Self.path)/d\(number)", json, token: token, to: server)
            #expect(answer.status == 201)
        }
    }

    private func ids(_ page: Answer) -> [String] { page.json["documents"].elements.compactMap { $0["id"].text } }

    @Test func `Pages of a sorted search are in order, and their cursor belongs to the order`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        try await load(7, token, to: server)
        func page(_ query: String) async throws -> Answer {
            try await send(.get, "\(Self.path)?limit=3&\(query)", token: token, to: server)
        }
        var (found, cursor) = ([String](), "")
        repeat {
            let page = try await page("sort=color,n:desc\(cursor)")
            try #require(page.status == 200, "\(page.text)")
            found += ids(page)
            cursor = page.json["next"].text.map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty && found.count < 20
        #expect(found == ["d1", "d2", "d4", "d5", "d0", "d3", "d6"])
        let next = try #require(try await page("sort=n").json["next"].text)
        let other = try await page("sort=n:desc&cursor=\(next)")
        #expect(other.status == 422 && other.json["field"].text == "cursor")
    }

    @Test func `Facets count all documents found, not only those of the page`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        try await load(7, token, to: server)
        let answer = try await send(.get, Self.path + "?limit=0&facet=color&facet=n:2", token: token, to: server)
        try #require(answer.status == 200, "\(answer.text)")
        #expect(ids(answer).isEmpty && answer.json["found"].int == 7)
        let facets = answer.json["facets"].elements
        #expect(facets.map { $0["key"].text } == ["color", "n"])
        let color = try #require(Facet(facets[0], key: "color"))
        #expect(color.counts == [Facet.Count(.text("blue"), 4), Facet.Count(.text("red"), 3)])
        #expect(color.accuracy == .exact && color.missing == 0)
        #expect(facets[1]["values"].elements.count == 2 && facets[1]["other"].int == 5)
        let plain = try await send(.get, Self.path, token: token, to: server)
        #expect(plain.json["found"].int == nil && plain.json["facets"] == .null)
    }

    @Test(arguments: [
        ("order=title", "order"), ("sort=", "sort"), ("sort=a,,b", "sort"), ("sort=a,b,c,d,e,f,g,h,i,j,k", "sort"),
        ("facet=", "facet"), ("facet=a:0", "facet"), ("facet=a:1001", "facet"), ("limit=0", "limit"),
        (Array(repeating: "facet=a", count: 21).joined(separator: "&"), "facet"),
    ])
    func `An order and facets have limits`(query: String, field: String) async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let answer = try await send(.get, "\(Self.path)?\(query)", token: token, to: server)
        #expect(answer.status == 422 && answer.json["field"].text == field, "\(answer.text)")
    }

    @Test func `A fifth request that sorts or counts is refused until another one ends`() throws {
        let grant = AccessGrant(collection: "Web", principal: "test", filter: .init(), readable: .init())
        func wanted(_ query: (name: String, value: String)...) throws -> OrderAndFacets {
            try OrderAndFacets(ServedRequest(.get, Self.path, query: query), grant)
        }
        let sorted = try wanted(("sort", "n"))
        let counted = try wanted(("facet", "n"))
        let work = SharedCount()
        var shares = try [sorted, counted, sorted, counted].map { try $0.share(of: work) }
        let problem = #expect(throws: ServiceProblem.self) { try sorted.share(of: work) }
        #expect(problem?.status == .tooManyRequests && problem?.headers["Retry-After"] == "1")
        #expect(try wanted(("words", "x")).share(of: work) == nil && work.sum == 4)
        shares.removeLast()
        shares.append(try counted.share(of: work))
        #expect(work.sum == 4)
        shares.removeAll()
        #expect(work.sum == 0)
    }

    @Test func `Only a client that may read every document counts values`() async throws {
        let place = try await Place(rules: "user.tenant == document.tenant")
        let server = try await place.server()
        let tenant = try await place.token(.user, ["tenant": "a"])
        try await load(3, tenant, to: server)
        let counted = try await send(.get, Self.path + "?facet=color", token: tenant, to: server)
        #expect(counted.status == 403 && counted.json["code"].text == "noFacets")
        let sorted = try await send(.get, Self.path + "?sort=n", token: tenant, to: server)
        #expect(ids(sorted) == ["d2", "d1", "d0"])
        let facts = try await send(.get, "/v1/collections/Web", token: tenant, to: server).json["capabilities"]
        #expect(facts["sorts"].bool == true && facts["counts"].bool == false)
        let stranger = try await place.token(.user, ["tenant": "b"])
        #expect(ids(try await send(.get, Self.path + "?sort=n", token: stranger, to: server)).isEmpty)
    }

    @Test func `Values that hooks hide are neither sorted nor counted`() async throws {
        let place = try await Place()
        var settings = place.settings
        settings.collections["Web"]?.hooks = DocumentHooks([DocumentHook(on: [.read], .drop(["secret"]))])
        let server = try await ContentDistributor(settings) { _ in }
        let token = try await place.token(.application)
        for (query, code) in [("sort=secret", "noOrder"), ("facet=secret", "noFacets")] {
            let answer = try await send(.get, "\(Self.path)?\(query)", token: token, to: server)
            #expect(answer.status == 403 && answer.json["code"].text == code)
        }
        let facts = try await send(.get, "/v1/collections/Web", token: token, to: server).json["capabilities"]
        #expect(facts["sorts"].bool == false && facts["counts"].bool == false)
    }
}
