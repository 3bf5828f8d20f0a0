import ContentFeeding

/// Some of many, each with the same chance, without knowing how many there will be.
struct Sample<Item> {
    private(set) var items: [Item] = []
    /// How many there were to choose from.
    private(set) var offered = 0
    private let size: Int
    private var random: SplitMix64

    init(of size: Int, seed: UInt64) {
        self.size = size
        random = SplitMix64(seed: seed)
    }

    /// Takes the item in, perhaps in the place of another one.
    ///
    /// What is not taken in is not made.
    mutating func offer(_ item: @autoclosure () -> Item) {
        offered += 1
        if items.count < size {
            items.append(item())
        } else {
            let place = Int.random(in: 0..<offered, using: &random)
            if place < size { items[place] = item() }
        }
    }
}
