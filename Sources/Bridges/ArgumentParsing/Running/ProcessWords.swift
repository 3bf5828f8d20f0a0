extension Program {
    /// The words of this process's command line, without the program's name.
    ///
    /// `CommandLine.arguments` repairs what is not UTF-8 and so names something else; here that is an error, which names
    /// the place of the word.
    public static func readWords() throws(ArgumentError) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let start = CommandLine.unsafeArgv[index] else { break }
            var bytes: [UInt8] = []
            var offset = 0
            while start[offset] != 0 {
                bytes.append(UInt8(bitPattern: start[offset]))
                offset += 1
            }
            words.append(try word(bytes, at: index))
        }
        return words
    }

    /// The word that `bytes` spell; `position` counts from 1.
    public static func word(_ bytes: [UInt8], at position: Int) throws(ArgumentError) -> String {
        if let word = String(validating: bytes, as: UTF8.self) { return word }
        let shown = bytes.map { byte in
            (0x20...0x7E).contains(byte)
                ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16, uppercase: true)
        }
        throw ArgumentError(
            "argument \(position) is not UTF-8: '\(shown.joined())'",
            advice: "Convert it, or give it in a file"
        )
    }
}
