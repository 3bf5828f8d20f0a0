import ContentFeeding
import Spelling

extension CollectionName {
    /// The longest name, in bytes: the name of a file, with what Solr appends for shards and replicas.
    static let maximumByteCount = 200

    /// Checks the rules of Solr: letters, digits, `.`, `_` and `-`, and no `-` at the beginning.
    func validate() throws(EngineError) {
        guard let flaw else { return }
        throw EngineError(
            .invalidName,
            "'\(rawValue)' can't name a collection of Solr: \(flaw)",
            advice: "take letters, digits, '-', '_' and '.', such as WebCollection"
        )
    }

    private var flaw: String? {
        if rawValue.isEmpty { return "it is empty" }
        if rawValue.utf8.count > Self.maximumByteCount {
            return "it is \(rawValue.utf8.count) bytes long, and \(Self.maximumByteCount) are allowed"
        }
        if rawValue.utf8.first == UInt8(ascii: "-") { return "it begins with '-'" }
        // Dots alone are folders, and where Solr's own pages are is no collection.
        if ["admin", ".", ".."].contains(rawValue) { return "it means something else in an address of Solr" }
        let isPlain = rawValue.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isPlain ? nil : "it holds something else than letters, digits, '-', '_' and '.'"
    }

    /// What to do when there is no such collection.
    func advice(among names: [String]) -> String? {
        if let nearest = rawValue.nearest(in: names) { return "did you mean '\(nearest)'?" }
        return flaw == nil ? "fastctl collections create \(rawValue)" : nil
    }
}
