import Foundation

/// Takes out of an output what differs from run to run.
struct GoldenNormalizer {
    /// The folder that the command ran in.
    let place: String
    /// What else to replace, and by what.
    let names: [String: String]

    func normalized(_ text: String) -> String {
        names.reduce(text) { $0.replacing($1.key, with: $1.value) }
            .replacing(place, with: "TMP")
            .replacing(/[0-9A-HJKMNP-TV-Z]{16}/, with: "JOB")
            .replacing(/[0-9]+\.[0-9] s\)/, with: "0.0 s)")
            .replacing(/"startedAt":( ?)"[^"]*"(,\s*"seconds": ?)[0-9.]+/) {
                "\"startedAt\":\($0.output.1)\"TIME\"\($0.output.2)0.000"
            }
            .replacing(/[0-9]+(\.[0-9])? [KMG]iB/, with: "SIZE")
            .replacing(/"waiting":([0-9]+),"bytes":[0-9]+/) { "\"waiting\":\($0.output.1),\"bytes\":0" }
    }
}
