import DocumentSources
import Foundation
import TestSupport
import Testing

struct SourceAddressTests {
    @Test(arguments: [
        ("dir:site", SourceAddress.Location.folder(path: "site")),
        ("dir:what?.d", .folder(path: "what?.d")),
        ("JSONL:a b.jsonl.gz", .file(.jsonLines, path: "a b.jsonl.gz")),
        ("csv:/t/x.csv", .file(.csv, path: "/t/x.csv")),
        ("tsv:x", .file(.tsv, path: "x")),
        ("sitemap:x.xml", .sitemapFile(path: "x.xml")),
        ("sitemap+https://a.org/s.php?kind=pages", .sitemap(url: "https://a.org/s.php?kind=pages")),
        (
            "azure-table+http://127.0.0.1:10002/devstoreaccount1/T",
            .azureTable(url: "http://127.0.0.1:10002/devstoreaccount1/T")
        ),
        ("azure-blob+https://a.blob.core.windows.net/c/p/q", .azureBlob(url: "https://a.blob.core.windows.net/c/p/q")),
        ("pages", .collection("pages", of: nil)),
        ("old/pages", .collection("pages", of: "old")),
        ("sqlite:/a/b.sqlite/pages", .collection("pages", of: "sqlite:/a/b.sqlite")),
        ("opensearch+https://a:9200/pages", .collection("pages", of: "opensearch+https://a:9200")),
    ])
    func `An address specifies a kind and a location, and is written back unchanged`(
        text: String,
        location: SourceAddress.Location
    ) throws {
        let address = try SourceAddress(text)
        #expect(address.location == location)
        #expect("\(address)".lowercased() == text.lowercased())
        #expect(try SourceAddress("\(address)") == address)
    }

    @Test func `Parameters are decoded, and a pattern may be given several times`() throws {
        let address = try SourceAddress("dir:a?glob=**/*.html&glob=a%26b%3F.txt&id=name")
        #expect(address.values(of: "glob") == ["**/*.html", "a&b?.txt"])
        #expect(address["id"] == "name" && address["base"] == nil)
        #expect(try SourceAddress("\(address)") == address)
        // A percent sign that does not begin an escape is taken literally.
        #expect(try SourceAddress("dir:a?glob=100%").values(of: "glob") == ["100%"])
        #expect(try SourceAddress("\(SourceAddress("dir:a?glob=100%"))").values(of: "glob") == ["100%"])
    }

    @Test func `A query extends unchanged to the end of the address`() throws {
        let sql = "SELECT a AS id FROM t WHERE b LIKE '%20%' AND c = 'x&y=?' -- z"
        let address = try SourceAddress("sqlite-query:c.db?version=v&query=\(sql)")
        #expect(address.location == .query(sql, database: "c.db"))
        #expect(address["version"] == "v" && address["query"] == nil)
        #expect(try SourceAddress("\(address)") == address)
    }

    @Test func `A condition may contain spaces, but an address may not`() throws {
        for filter in ["PartitionKey eq 'p'", "PartitionKey%20eq%20'p'"] {
            let address = try SourceAddress("azure-table+https://a.table.core.windows.net/T?filter=\(filter)")
            #expect(address["filter"] == "PartitionKey eq 'p'")
            #expect(try SourceAddress("\(address)") == address)
        }
        let error = #expect(throws: SourceError.self) {
            try SourceAddress("azure-blob+https://a.org/c/a b?content=text")
        }
        #expect(error?.code == .invalidAddress && "\(String(describing: error))".contains("%20"))
    }

    @Test func `An absolute path does not depend on the current folder`() throws {
        for text in ["dir:x?glob=*.txt", "sqlite-query:x?query=SELECT 1", "csv:x?id=a", "sitemap:x"] {
            let address = try SourceAddress(text).absolute(in: "/here")
            #expect(address.path == "/here/x")
            #expect("\(address)" == text.replacingOccurrences(of: ":x", with: ":/here/x"))
            #expect(address.absolute(in: "/there") == address)
        }
        #expect(try "\(SourceAddress("old/pages?version=etag").absolute(in: "/here"))" == "old/pages?version=etag")
    }

    @Test(arguments: [
        "azure-table+https://a.table.core.windows.net/T?sig=SECRET", "azure-blob+https://u:SECRET@a.org/c",
        "azure-table+https://a.org/T?filter=x&sv=SECRET", "sitemap+https://a.org/s.xml?access_token=SECRET",
        "sitemap+https://a.org/s.xml?%73ig=SECRET", "opensearch+https://u:SECRET@a/pages",
        "azure-table+https://a.org/T?SharedAccessSignature=SECRET", "sitemap+https://SECRET@a.org/",
    ])
    func `A secret in an address is refused, and never repeated`(text: String) {
        let error = #expect(throws: SourceError.self) { try SourceAddress(text) }
        #expect(error?.code == .invalidAddress)
        #expect(error?.advice?.contains("--source-credentials-file") ?? false)
        #expect(!"\(String(describing: error))".contains("SECRET"))
    }

    @Test(arguments: [
        ("https://a.org/x", "before it"), ("dir:", "dir:PATH"), ("azure-table:T", "azure-table+https"),
        ("dir:x?glbo=a", "did you mean glob"), ("csv:x?id=", "empty"), ("csv:x?id=a&id=b", "twice"),
        ("sqlite-query:x", "query=SELECT"), ("sqlite-query:x?query=", "query=SELECT"), ("pages/", "a source is"),
        ("dir:x?id=%FF", "not UTF-8"), ("azure-blob+https:///c", "azure-blob+https://HOST"), ("", "a source is"),
        ("sitemap+ftp://a/b", "sitemap+https"), ("pages?id=x", "version=KEY"), ("dir+https://a/b", "context"),
    ])
    func `An invalid address is refused with an explanation`(text: String, words: String) {
        do throws(SourceError) {
            let address = try SourceAddress(text)
            // It would be a collection only if there were a context with that name.
            #expect(words == "context" && address.path == nil)
        } catch {
            #expect(error.code == .invalidAddress)
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    @Test(arguments: [
        ("lines:ids.txt", "known kinds are"), ("lines:dir/ids.txt", "known kinds are"),
        ("jsnl:x.jsonl", "did you mean jsonl:"), ("sqlite:pages", "sqlite:PATH/COLLECTION"),
        ("a:b", "CONTEXT/COLLECTION"), ("localhost:9200/pages", "opensearch+https:"),
    ])
    func `An unknown kind of source is not mistaken for a collection's name`(text: String, words: String) {
        let error = #expect(throws: SourceError.self) { try SourceAddress(text) }
        #expect(error?.code == .invalidAddress)
        #expect(error?.advice?.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `A collection with a colon in its name is specified with its location`() throws {
        #expect(try SourceAddress("old/a:b").location == .collection("a:b", of: "old"))
        #expect(try SourceAddress("sqlite:s.sqlite/a:b").location == .collection("a:b", of: "sqlite:s.sqlite"))
    }

    @Test func `The error for a path suggests the address to write`() throws {
        let folder = try TemporaryFolder()
        for (name, kind) in [
            ("p.csv.gz", "csv:"), ("p.jsonl", "jsonl:"), ("s.xml", "sitemap:"), ("c.db", "sqlite-query:"),
        ] {
            let path = folder.path(name)
            try Data().write(to: URL(filePath: path))
            let error = #expect(throws: SourceError.self) { try SourceAddress(path) }
            #expect(error?.advice?.hasPrefix("write \(kind)\(path)") ?? false)
        }
        let error = #expect(throws: SourceError.self) { try SourceAddress(folder.path(".") + "/") }
        #expect(error?.advice?.hasPrefix("write dir:") ?? false)
    }
}
