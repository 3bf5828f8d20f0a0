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
        // Parsing is over before anyone else can see the value, so nothing is lost between the two locks.
        var value = value
        try change(&value)
        state.withLock { [value] in $0 = State(value: value, isGiven: true) }
    }
}
