/// Which key a scope's name has, for names that came lately: working a key out takes longer than looking it up.
struct ScopeNameCache: Sendable {
    /// Beyond this many names all are forgotten; the frequent ones are back soon.
    static let maximumNames = 8192
    /// Beyond this many bytes of names all are forgotten.
    static let maximumBytes = 1 << 20
    /// A name that is longer is not remembered, in bytes; it hardly comes twice.
    static let longestName = 1024

    private var names = ByteStringTable()
    /// What was found out, for each name's number.
    private var indices: [Int] = []

    /// What is remembered of a name.
    func index(of name: Span<UInt8>, hash: ByteHash) -> Int? {
        names.number(of: name, hash: hash).map { indices[$0] }
    }

    /// Remembers a name that is not remembered yet.
    mutating func remember(_ name: Span<UInt8>, hash: ByteHash, index: Int) {
        guard name.count <= Self.longestName else { return }
        if names.count >= Self.maximumNames || names.byteCount + name.count > Self.maximumBytes {
            names.removeAll()
            indices.removeAll(keepingCapacity: true)
        }
        names.append(name, hash: hash)
        indices.append(index)
    }
}
