/// The two columns before the event id, told apart.
struct AreaAndCategory: Equatable {
    var area: Range<Int>
    var category: Range<Int>
    /// Whether something better than a guess set them apart: tabs, wide blanks, or an area that is known.
    var isSure: Bool
    /// Whether tabs set them apart.
    var isTabbed = false

    /// Tells them apart in `region`, which reaches from the column before to the event id.
    ///
    /// Tabs are best, then blanks that are wider than one, where they leave exactly two. Else the longest known area
    /// that leaves a category. An area nobody knows is taken for one word; a lone word is the category, because an
    /// unregistered category has no area.
    init(_ text: [UInt8], region: Range<Int>, isFirstColumn: Bool) {
        let whole = text.trimmed(region)
        let tabbed = Self.tabbed(text, region, isFirstColumn: isFirstColumn)
        for cells in [tabbed, Self.wide(text, whole)] where cells.count == 2 {
            self.init(area: cells[0], category: cells[1], isSure: true)
            isTabbed = tabbed.count == 2
            return
        }
        let ends = KnownAreas.ends(in: text, from: whole.lowerBound, to: whole.upperBound)
        if let end = ends.first(where: { $0 < whole.upperBound }) ?? ends.first {
            self.init(
                area: whole.lowerBound..<end,
                category: text.trimmed(end..<whole.upperBound),
                isSure: true
            )
            return
        }
        let word = text.endOfWord(from: whole.lowerBound, to: whole.upperBound)
        let rest = text.trimmed(word..<whole.upperBound)
        let start = whole.lowerBound
        self =
            rest.isEmpty
            ? Self(area: start..<start, category: whole, isSure: false)
            : Self(area: start..<word, category: rest, isSure: false)
    }

    private init(area: Range<Int>, category: Range<Int>, isSure: Bool) {
        self.area = area
        self.category = category
        self.isSure = isSure
    }

    private static func tabbed(_ text: [UInt8], _ region: Range<Int>, isFirstColumn: Bool) -> [Range<Int>] {
        guard text[region].contains(0x09) else { return [] }
        var cells: [Range<Int>] = []
        var start = region.lowerBound
        for index in region where text[index] == 0x09 {
            cells.append(text.trimmed(start..<index))
            start = index + 1
        }
        cells.append(text.trimmed(start..<region.upperBound))
        // What stands before the first tab and behind the last belongs to the neighbours.
        if !isFirstColumn, cells.first?.isEmpty == true { cells.removeFirst() }
        if cells.last?.isEmpty == true { cells.removeLast() }
        return cells
    }

    private static func wide(_ text: [UInt8], _ whole: Range<Int>) -> [Range<Int>] {
        var cells: [Range<Int>] = []
        var (start, index) = (whole.lowerBound, whole.lowerBound)
        while index < whole.upperBound {
            let word = text.endOfWord(from: index, to: whole.upperBound)
            let blanks = text.blanks(from: word, to: whole.upperBound)
            if blanks.isWide || blanks.end == whole.upperBound {
                cells.append(start..<word)
                start = blanks.end
            }
            index = blanks.end
        }
        return cells
    }
}
