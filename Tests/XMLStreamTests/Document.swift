import XMLStream

/// Why a document is refused; `nil` when it is read.
func refusal(_ bytes: [UInt8]) -> XMLError? {
    do {
        _ = try SourceMap(bytes)
        return nil
    } catch {
        return error
    }
}

func refusal(_ text: String) -> XMLError? { refusal(Array(text.utf8)) }

/// A text in one of the ways that files are written; a declaration in it says `ENCODING`.
enum Writing: CaseIterable {
    case utf8
    case utf8WithMark
    case utf16LittleEndian
    case utf16BigEndian
    case utf16WithoutMark
    case latin1

    var step: Int { [.utf16LittleEndian, .utf16BigEndian, .utf16WithoutMark].contains(self) ? 2 : 1 }

    func bytes(_ text: String) -> [UInt8] {
        let name = step == 2 ? "utf-16" : self == .latin1 ? "iso-8859-1" : "utf-8"
        let text = text.replacing("ENCODING", with: name)
        return switch self {
        case .utf8: Array(text.utf8)
        case .utf8WithMark: Array("\u{FEFF}\(text)".utf8)
        case .utf16LittleEndian: "\u{FEFF}\(text)".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16BigEndian: "\u{FEFF}\(text)".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .utf16WithoutMark: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .latin1: text.unicodeScalars.map { UInt8($0.value) }
        }
    }
}
