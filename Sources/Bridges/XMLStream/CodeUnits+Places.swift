extension CodeUnits {
    /// A line and a column in characters, both from 1.
    struct Place: Sendable {
        var line = 1
        var column = 1
    }

    /// The place of a byte, by a walk from the start.
    func place(of offset: Int) -> Place {
        var place = Place()
        move(&place, from: start, to: offset)
        return place
    }

    /// Moves a place from one byte on to another.
    func move(_ place: inout Place, from lower: Int, to upper: Int) {
        for offset in stride(from: lower, to: min(upper, end), by: step) {
            if self[offset] == UInt8(ascii: "\n") {
                place.line += 1
                place.column = 1
            } else if beginsCharacter(at: offset) {
                place.column += 1
            }
        }
    }
}
