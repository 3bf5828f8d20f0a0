import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization

/// The index that a collection's name stood for when the job began, and whether it still does.
///
/// An alias can be rolled over, an index deleted and created anew, and a pipeline can send documents elsewhere: then an
/// answer is about other documents than asked for. A document that is not in another index is not missing.
final class IndexOrigin: Sendable {
    private struct State {
        var identity: IndexIdentity
        /// Why nothing more can be sent: the name stands for something else.
        var change: BatchFailure?
        var checked = ContinuousClock.now
    }

    private let name: CollectionName
    private let isSingle: Bool
    /// Whether the index is known only by its answers.
    private let isUnseen: Bool
    private let state: Mutex<State>

    /// How long an index may be taken for the same while documents are only added to it.
    private static let trust = Duration.seconds(1)

    init(of name: CollectionName, _ binding: IndexBinding) {
        self.name = name
        isSingle = binding.isSingle
        isUnseen = !binding.isSeen
        state = Mutex(State(identity: binding.identity))
    }

    /// The index that answers what is asked of the name; `nil` if we may not know.
    var index: String? { state.withLock { $0.identity.answering } }

    /// Learns from an answer which index answers, if that can't be seen otherwise.
    func learn(from answer: () throws(JSONError) -> String?) throws(JSONError) {
        guard isUnseen, index == nil, let found = try answer() else { return }
        state.withLock { if $0.identity.indices.isEmpty { $0.identity.indices[found] = .some(nil) } }
    }

    /// Why nothing more can be sent; `nil` as long as the name stands for the same index.
    var change: BatchFailure? { state.withLock { $0.change } }

    /// Returns the answers that are about our documents, after asking what the name stands for, if they leave a doubt.
    func confirmed(_ answers: [ItemAnswer?], in cluster: Cluster) async -> [ItemAnswer?] {
        let needs = answers.reduce(into: Needs()) { $0.add($1) }
        let isOld = state.withLock { ContinuousClock.now - $0.checked > Self.trust }
        let isDue = needs.isElsewhere || needs.isMissing || needs.isNew && isOld
        guard isDue else { return answers }
        await check(in: cluster, insisting: needs.isElsewhere)
        let (index, change) = state.withLock { ($0.identity.answering, $0.change) }
        return answers.map { answer in
            switch answer {
            case .elsewhere(let other, let inner)?:
                if let change { return .halt(change) }
                return other == index ? inner : inner.rerouted(to: other, insteadOf: index)
            case .absentSinceRecently?, .result(.done(.missing))?: return change.map { .halt($0) } ?? answer
            default: return answer
            }
        }
    }

    /// Returns why nothing more can be sent, after asking what the name stands for.
    func changeNow(in cluster: Cluster) async -> BatchFailure? {
        await check(in: cluster, insisting: false)
        return change
    }

    /// Asks what the name stands for; `insisting` if an answer came from elsewhere, so that not to know is a reason to
    /// stop.
    private func check(in cluster: Cluster, insisting: Bool) async {
        let found: IndexIdentity
        do throws(RequestFailure) {
            found = try await cluster.identity(of: name, withWriteIndex: !isSingle)
        } catch {
            if error.errorReply?.kind == .missingCollection {
                stop(.missingCollection, "the index of '\(name)' was deleted during the run")
            } else if insisting {
                stop(.collectionChanged, "'\(name)' was answered for by another index than '\(index ?? "")'")
            }
            return
        }
        state.withLock { state in
            let old = state.identity
            state.checked = .now
            // Additions go on: they never looked into the older indices of this alias.
            if !isSingle, found.answering != nil {
                state.identity = found
                return
            }
            guard let words = old.change(to: found, of: name) else { return }
            state.change = state.change ?? Self.failure(.collectionChanged, words)
        }
    }

    private func stop(_ code: EngineError.Code, _ words: String) {
        state.withLock { $0.change = $0.change ?? Self.failure(code, words) }
    }

    private static func failure(_ code: EngineError.Code, _ words: String) -> BatchFailure {
        let message = "\(words); what was sent last may have been done there: look, then run the command again"
        return BatchFailure(.stop(code), DocumentFailure(.rejectedByEngine, message, disposition: .operatorAction))
    }
}

/// What a batch's answers leave in doubt.
private struct Needs {
    var isElsewhere = false
    var isMissing = false
    var isNew = false

    mutating func add(_ answer: ItemAnswer?) {
        switch answer {
        case .elsewhere?: isElsewhere = true
        case .absentSinceRecently?, .result(.done(.missing))?: isMissing = true
        case .result(.done(.added))?: isNew = true
        default: break
        }
    }
}

/// The indices behind a name, each with its own unique ID, which an index created anew does not share.
struct IndexIdentity: Hashable, Sendable {
    /// The unique ID of each index; `nil` if we may not see it.
    var indices: [String: String?]
    /// The index, of several, that receives additions.
    var writeIndex: String?

    /// The index that answers; `nil` if that can't be known.
    var answering: String? { indices.count == 1 ? indices.keys.first : writeIndex }

    /// Returns what happened to the name since then; `nil` if nothing did.
    fileprivate func change(to new: IndexIdentity, of name: CollectionName) -> String? {
        let (before, after) = (indices.keys.sorted(), new.indices.keys.sorted())
        guard before == after else {
            return "'\(name)' stood for \(before.listed) when the run began, and now stands for \(after.listed)"
        }
        let isRenewed = indices.contains { index, id in
            guard let id, let now = new.indices[index] ?? nil else { return false }
            return id != now
        }
        return isRenewed ? "'\(name)' was deleted and created anew during the run" : nil
    }
}

extension [String] {
    fileprivate var listed: String {
        prefix(3).map { "'\($0)'" }.joined(separator: ", ") + (count > 3 ? ", …" : "")
    }
}

extension ItemAnswer {
    /// Returns the meaning of an answer from an index that the name does not stand for.
    fileprivate func rerouted(to other: String, insteadOf index: String?) -> ItemAnswer {
        let expected = index.map { " instead of '\($0)'" } ?? ""
        if case .result(.done(let outcome)) = self, outcome == .added || outcome == .updated {
            let words = "stored in '\(other)'\(expected): an ingest pipeline sends it there"
            return .result(.failed(DocumentFailure(.rejectedByEngine, words)))
        }
        let words = "'\(other)' answered\(expected)"
        return .result(.unknown(DocumentFailure(.attemptsExhausted, words, disposition: .retryable)))
    }
}

extension Cluster {
    /// Returns what a name stands for now.
    fileprivate func identity(
        of name: CollectionName,
        withWriteIndex: Bool
    ) async throws(RequestFailure) -> IndexIdentity {
        let path = EnginePath(name.rawValue, "_settings").with("filter_path", "*.settings.index.uuid,error,status")
        let answer = try await ask(EngineRequest(.get, path))
        var identity = IndexIdentity(indices: [:], writeIndex: nil)
        for index in answer.members { identity.indices[index.key] = index.value["settings"]["index"]["uuid"].text }
        guard withWriteIndex else { return identity }
        let aliases = try await ask(EngineRequest(.get, EnginePath(name.rawValue, "_alias")))
        identity.writeIndex = AliasFacts(aliases, of: name).writeIndex
        return identity
    }
}
