public import ULSLog

/// What a reader of the results should know about how the logs were read: sentences for standard error.
public enum ReadNotes {
    /// The sentences about files and quality, each on one line and safe to print; empty when all went well.
    ///
    /// Of files the first `maximumFiles` with something to say are named.
    public static func lines(files: [SourceReport], quality: ReadQuality) -> [String] {
        (phrases(about: files) + phrases(about: quality)).map(\.text)
    }

    public static let maximumFiles = 20

    static func phrases(about files: [SourceReport]) -> [Phrase] {
        let noted = files.filter { !$0.notes.isEmpty }
        var phrases = noted.prefix(maximumFiles).flatMap { file in
            file.notes.map { note in "\(outside: file.name): \(outside: note)" as Phrase }
        }
        if noted.count > maximumFiles {
            let rest = GroupedNumber.of(noted.count - maximumFiles, "more file has", "more files have")
            phrases.append("\(rest) notes: -o json has all")
        }
        let incomplete = files.count(where: \.isIncomplete)
        if incomplete > 0 {
            phrases.append("\(GroupedNumber.of(incomplete, "file was", "files were")) not read to the end")
        }
        let skipped = files.count(where: \.isSkipped)
        if skipped > 0 {
            let names = GroupedNumber.of(
                skipped,
                "file was not opened: its name says that it lies",
                "files were not opened: their names say that they lie"
            )
            phrases.append("\(names) outside of the window")
        }
        return phrases
    }
}
