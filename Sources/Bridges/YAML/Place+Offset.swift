extension Place {
    /// The place of a byte, counted as libyaml counts: a character is a scalar, and a line has one of six ends.
    init(ofByte offset: Int, in text: UnsafeBufferPointer<UInt8>) {
        self.init(line: 1, column: 1)
        var previous: Unicode.Scalar = " "
        for scalar in String(decoding: text.prefix(offset), as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n" where previous == "\r": break
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
                line += 1
                column = 1
            default: column += 1
            }
            previous = scalar
        }
    }
}
