import Threads

/// A plain file that is read in parts: opened when the first one is begun, closed when all were read.
///
/// So all parts are of one file, whatever becomes of its name meanwhile: the service removes old logs.
final class PartedFile: Sendable {
    private struct State {
        var file: PlainFile?
        var partsLeft: Int
    }

    private let path: String
    private let state: Monitor<State>

    init(path: String, parts: Int) {
        self.path = path
        state = Monitor(State(partsLeft: parts))
    }

    /// Reads a part.
    func readPart(_ body: (PlainFile) throws -> Void) throws {
        defer {
            state.change { state in
                state.partsLeft -= 1
                if state.partsLeft == 0 { state.file = nil }
            }
        }
        try body(opened())
    }

    private func opened() throws -> PlainFile {
        try state.change { state in
            if let file = state.file { return file }
            let file = try PlainFile(path: path)
            state.file = file
            return file
        }
    }
}
