import LogDiagnosis

/// A diagnosis for a ticket or a job's summary: at most ``maximumBytes``, and it says what was cut.
struct DiagnosisMarkdown {
    private let report: DiagnosisReport

    /// What `$GITHUB_STEP_SUMMARY` takes.
    static let maximumBytes = 1 << 20
    /// The part of it that everything but findings may take.
    private static let maximumRest = maximumBytes / 4
    /// Kept free for the sentence that says what was cut.
    private static let reserve = 512

    init(_ report: DiagnosisReport) { self.report = report }

    func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(text: "# Diagnosis\n\n\(DiagnosisCounts(report).sentence())\n")
        let rest = rest
        let end = start + Self.maximumBytes - rest.count - Self.reserve
        for (index, finding) in report.findings.enumerated() {
            let before = bytes.count
            bytes.append(0x0A)
            FindingMarkdown(finding).append(to: &bytes)
            bytes.breakRunnerCommands(from: before)
            guard bytes.count > end else { continue }
            bytes.removeLast(bytes.count - before)
            let count = report.findings.count - index
            let left = GroupedNumber.of(count, "more finding is", "more findings are")
            bytes.append(text: "\n\(left) not shown: this form holds at most 1 MiB, -o json has all.\n")
            break
        }
        bytes.append(contentsOf: rest)
    }

    private var rest: [UInt8] {
        var rest: [UInt8] = []
        let page = DiagnosisPage.page(of: report)
        guard !page.blocks.isEmpty else { return rest }
        rest.append(0x0A)
        page.appendMarkdown(to: &rest)
        rest.breakRunnerCommands(from: 0)
        guard rest.count > Self.maximumRest else { return rest }
        return Array("\nWhat was not explained, evaluated or read is too long for this form: -o json has all.\n".utf8)
    }
}

extension [UInt8] {
    /// Breaks up `##[`, `##vso[` and `##teamcity[`, which runners look for anywhere in what a step prints.
    ///
    /// Two number signs in a row are our own headings, which a blank follows, or stand in code.
    fileprivate mutating func breakRunnerCommands(from start: Int) {
        guard let first = indices(ofDoubledSignsFrom: start).first else { return }
        var broken: [UInt8] = []
        for index in first..<count {
            broken.append(self[index])
            if isDoubledSign(at: index) { broken.append(0x20) }
        }
        replaceSubrange(first..., with: broken)
    }

    private func indices(ofDoubledSignsFrom start: Int) -> some Collection<Int> {
        (start..<count).lazy.filter { isDoubledSign(at: $0) }
    }

    /// Whether a sign stands there, another one follows, and then no blank.
    private func isDoubledSign(at index: Int) -> Bool {
        index + 2 < count && self[index] == UInt8(ascii: "#") && self[index + 1] == UInt8(ascii: "#")
            && self[index + 2] != 0x20
    }
}
