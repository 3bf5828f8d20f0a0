import FailureExplanation
import JSONText
package import LogDiagnosis
package import Neighbors

extension FailureCluster {
    /// The known failures with similar texts, if no cause is known.
    ///
    /// They are found in the text as it is shown, so that they cannot reveal a name that was masked.
    package var looksLike: [Neighbor] {
        guard explanation.usually.isEmpty, explanation.causes.isEmpty else { return [] }
        return NeighborIndex.builtIn.neighbors(of: example.text)
    }
}

extension ExplainedFailure {
    /// The known failures with similar texts, if no cause is known; empty for a code, and for a row without a failure.
    package var looksLike: [Neighbor] {
        guard !isQuiet, findings.isEmpty, asked.contains(" "), codes.allSatisfy(\.causes.isEmpty) else { return [] }
        let causes = explanation.map { $0.usually + $0.causes + ($0.activity?.activity.causes ?? []) } ?? []
        return causes.isEmpty ? NeighborIndex.builtIn.neighbors(of: asked) : []
    }
}

extension JSONWriter {
    /// Writes known failures with similar texts, which are only possible.
    mutating func member(looksLike neighbors: [Neighbor]) {
        array("looksLike") { array in
            for neighbor in neighbors {
                array.object { object in
                    object.member("rule", neighbor.rule)
                    object.member("title", neighbor.title)
                    object.member("cause", neighbor.cause)
                    object.member("shared", neighbor.shared)
                    object.member("confidence", Confidence.possible.rawValue)
                }
            }
        }
    }
}
