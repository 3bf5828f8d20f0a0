/// `text` broken at blanks into lines of at most `width` characters; an empty line stays one.
func wrapped(_ text: String, width: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
        var lines: [String] = []
        for word in paragraph.split(separator: " ") {
            if let line = lines.last, line.count + 1 + word.count <= width {
                lines[lines.count - 1] = line + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.isEmpty && !text.isEmpty ? [""] : lines
    }
}
