/// A stretch of blanks.
struct BlankRun {
    /// Where what follows begins.
    let end: Int
    /// Whether it sets columns apart: a tab, or two blanks and more.
    let isWide: Bool
}

extension [UInt8] {
    /// Bytes of the blank at `index`; 0 where there is none.
    ///
    /// A blank is a space, a tab, a carriage return or a no-break space (U+00A0, two bytes of UTF-8), with which some
    /// viewers pad.
    func blankWidth(at index: Int) -> Int {
        switch self[index] {
        case 0x20, 0x09, 0x0D: 1
        case 0xC2 where index + 1 < count && self[index + 1] == 0xA0: 2
        default: 0
        }
    }

    /// The blanks from `start` on.
    func blanks(from start: Int, to end: Int) -> BlankRun {
        var (index, characters, hasTab) = (start, 0, false)
        while index < end {
            let width = blankWidth(at: index)
            guard width > 0, index + width <= end else { break }
            hasTab = hasTab || self[index] == 0x09
            characters += 1
            index += width
        }
        return BlankRun(end: index, isWide: hasTab || characters > 1)
    }

    /// Where the word that begins at `start` ends.
    func endOfWord(from start: Int, to end: Int) -> Int {
        var index = start
        while index < end {
            // A no-break space that `end` cuts in two is no blank; else a word would never end.
            let width = blankWidth(at: index)
            if width > 0, index + width <= end { break }
            index += 1
        }
        return index
    }

    /// `range` without the blanks and line feeds at both ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end {
            let width = self[start] == 0x0A ? 1 : blankWidth(at: start)
            guard width > 0, start + width <= end else { break }
            start += width
        }
        while end > start {
            if [0x20, 0x09, 0x0D, 0x0A].contains(self[end - 1]) {
                end -= 1
            } else if end - start > 1, self[end - 1] == 0xA0, self[end - 2] == 0xC2 {
                end -= 2
            } else {
                break
            }
        }
        return start..<end
    }

    var trimmed: Range<Int> { trimmed(indices) }

    func hasPrefix(_ prefix: [UInt8], at index: Int = 0) -> Bool {
        index + prefix.count <= count && self[index..<(index + prefix.count)].elementsEqual(prefix)
    }

    /// Whether `part` occurs in `range`, in capitals or not; `part` is in small letters.
    func contains(_ part: [UInt8], in range: Range<Int>) -> Bool {
        guard range.count >= part.count else { return false }
        return (range.lowerBound...(range.upperBound - part.count)).contains { start in
            part.indices.allSatisfy { self[start + $0].lowercased == part[$0] }
        }
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isSmallLetter: Bool { (0x61...0x7A).contains(self) }
    var isCapital: Bool { (0x41...0x5A).contains(self) }
    var isHexadecimal: Bool { isDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }
    var lowercased: UInt8 { isCapital ? self + 0x20 : self }
}
