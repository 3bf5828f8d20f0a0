import ConsolePages
import HTTPService
import TestSupport
import Testing

/// The page of a collection whose engine sorts and counts: everything is a link or a field of a form.
struct CollectionSearchTests {
    private static let counts = """
        [{"key":"color","values":[{"value":"r&d","documents":3},{"value":"","documents":1}],"other":2,"missing":1,\
        "approximate":false,"error":0},\
        {"key":"n","values":[{"value":1.5,"documents":2}],"other":0,"missing":0,"approximate":true,"error":null,\
        "reason":"<shards>"},\
        {"key":"a=b","values":[{"value":"x","documents":1}],"other":0,"missing":0,"approximate":true,"error":4}]
        """

    private func page(_ place: ConsolePlace, _ query: String) async throws -> String {
        let session = try await place.session()
        let answer = await place.send(.get, "/console/collections/Web\(query)", cookie: session.cookie)
        #expect(answer.status == .ok)
        return try await text(answer)
    }

    @Test func `Fields for an order and for facets are hidden if the engine has neither`() async throws {
        let place = ConsolePlace()
        let plain = try await page(place, "")
        #expect(!plain.contains(#"name="sort""#) && !plain.contains(#"name="facets""#) && !plain.contains("datalist"))
        // An address with an order that the engine refuses shows the order beside the refusal.
        #expect(try await page(place, "?sort=n").contains(#"name="sort""#))
        place.api.count("[]")
        let able = try await page(place, "")
        #expect(able.contains(#"name="sort""#) && able.contains(#"name="facets""#))
        #expect(able.contains(#"<option value="title">"#), "the keys of the documents are suggested")
    }

    @Test func `The order, the facets and the chosen values are sent to the API`() async throws {
        let place = ConsolePlace()
        let query = "?words=x&where=a=b&filter=color%3Dred&filter=n%3D2&sort=n:desc,title&facets=color:3,%20n"
        _ = try await page(place, query + "&cursor=c")
        #expect(
            place.api.queries.last == [
                "words=x", "where=a=b", "where=color=red", "where=n=2", "sort=n:desc,title", "facet=color:3", "facet=n",
                "cursor=c", "limit=50",
            ]
        )
    }

    @Test func `A value of a facet is a link that keeps the search`() async throws {
        let place = ConsolePlace()
        place.api.count(Self.counts)
        let page = try await page(place, "?words=x&sort=n&facets=color,n&filter=n%3D1.5")
        let kept = "/console/collections/Web?words=x&amp;filter=n%3D1.5"
        #expect(page.contains("\(kept)&amp;filter=color%3Dr%26d&amp;sort=n&amp;facets=color%2Cn"), "\(page)")
        #expect(page.contains("<bdi>r&amp;d</bdi></a> 3") && page.contains("<bdi>&quot;&quot;</bdi></a> 1"))
        // A chosen value, and a key that can't be a condition, have no link.
        #expect(page.contains("<li><bdi>1.5</bdi> 2</li>") && page.contains("<li><bdi>x</bdi> 1</li>"))
        // A chosen value remains chosen when the form is sent, and can be removed.
        #expect(page.contains(#"<input type="hidden" name="filter" value="n=1.5">"#))
        #expect(page.contains("/console/collections/Web?words=x&amp;sort=n&amp;facets=color%2Cn"))
    }

    @Test func `Each facet shows what it leaves out, and how accurate it is`() async throws {
        let place = ConsolePlace()
        place.api.count(Self.counts)
        let english = try await page(place, "?facets=color&lang=en")
        for text in [
            "Documents found: 7", "other values: 2; without a value: 1; exact", "approximate: &lt;shards&gt;",
            "approximate: counts may be wrong by 4",
        ] { #expect(english.contains(text), "\(text)") }
        let german = try await page(place, "?facets=color&lang=de")
        #expect(german.contains("andere Werte: 2; ohne Wert: 1; genau"))
    }

    @Test func `Keys of the order are columns whose titles turn the order around`() async throws {
        let place = ConsolePlace()
        let ascending = try await page(place, "?sort=n,title:desc")
        let turned = #"<a href="/console/collections/Web?sort=n%3Adesc%2Ctitle%3Adesc">"#
        #expect(ascending.contains(#"aria-sort="ascending">"# + turned))
        #expect(ascending.contains(#"<a href="/console/collections/Web?sort=title%2Cn"><bdi>title</bdi></a> ↓"#))
        #expect(ascending.contains("<td><bdi>1.50</bdi></td><td><bdi>A</bdi></td>"))
        let descending = try await page(place, "?sort=n:desc")
        #expect(descending.contains(#"aria-sort="descending"><a href="/console/collections/Web?sort=n">"#))
    }

    @Test(arguments: [
        ("?where=a=b", "where=a%3Db"), ("?filter=a%3Db", "where=a%3Db"), ("?filter=a%3Db&filter=c%3Dd", nil),
        ("?where=x=y&filter=a%3Db", nil),
    ])
    func `A removal is planned only if its form can hold every condition`(
        query: String,
        conditions: String?
    ) async throws {
        let page = try await page(ConsolePlace(), query)
        let link = "/console/collections/Web/plan"
        #expect(page.contains("\(link)\(conditions.map { "?\($0)" } ?? "")\""), "\(page)")
    }
}
