import Synchronization

/// The value behind a property wrapper.
///
/// A reference, because reflection hands out copies of the wrapper; locked, so that a command is `Sendable` where its
/// values are.
final class ArgumentStorage<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value?
        var isGiven = false
    }

    private let state: Mutex<State>

    init(_ value: Value?) { state = Mutex(State(value: value)) }

    var value: Value? { state.withLock(\.value) }
    var isGiven: Bool { state.withLock(\.isGiven) }

    func update(_ change: (inout Value?) throws(ArgumentExpectation) -> Void) throws(ArgumentExpectation) {
        try state.withLock { state throws(ArgumentExpectation) in
            try change(&state.value)
            state.isGiven = true
        }
    }
}
