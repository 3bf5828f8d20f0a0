/// Cells of a console's table, which stand at fixed characters from the left.
enum AlignedCells {
    /// The cells without padding, one for each start.
    static func texts(of line: [UInt8], starts: [Int]) -> [[UInt8]] {
        var bounds: [Int] = []
        var character = 0
        for (index, byte) in line.enumerated() where byte & 0xC0 != 0x80 {
            if bounds.count < starts.count, starts[bounds.count] == character { bounds.append(index) }
            character += 1
        }
        while bounds.count <= starts.count { bounds.append(line.count) }
        return zip(bounds, bounds.dropFirst()).map { Array(line[line.trimmed($0..<$1)]) }
    }
}
