/// The places of every so many bytes, so that none is far from one that is known.
struct PlaceIndex: Sendable {
    /// How far apart they are, in units.
    private static let distance = 128

    private let known: [CodeUnits.Place]

    init(_ units: CodeUnits) {
        var known: [CodeUnits.Place] = []
        var place = CodeUnits.Place()
        for offset in stride(from: units.start, to: units.end, by: Self.distance * units.step) {
            known.append(place)
            units.move(&place, from: offset, to: offset + Self.distance * units.step)
        }
        self.known = known
    }

    /// The place of a byte; of one outside of the document, the place of its nearest end.
    func place(of offset: Int, in units: CodeUnits) -> CodeUnits.Place {
        let inside = min(max(offset, units.start), units.end)
        let bytes = Self.distance * units.step
        let index = min((inside - units.start) / bytes, known.count - 1)
        guard index >= 0 else { return CodeUnits.Place() }
        var place = known[index]
        units.move(&place, from: units.start + index * bytes, to: inside)
        return place
    }
}
