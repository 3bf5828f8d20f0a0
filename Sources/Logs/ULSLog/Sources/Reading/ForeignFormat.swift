/// Files that are handed in for logs and cannot be read as such, by their first bytes.
enum ForeignFormat: CaseIterable {
    case cabinet
    case eventLog
    case lz4
    case pdf
    case rar

    init?(startOf bytes: [UInt8]) {
        guard let format = Self.allCases.first(where: { bytes.starts(with: $0.signature) }) else { return nil }
        self = format
    }

    private var signature: [UInt8] {
        switch self {
        case .cabinet: Array("MSCF".utf8) + [0, 0, 0, 0]
        case .eventLog: Array("ElfFile".utf8) + [0]
        case .lz4: [0x04, 0x22, 0x4D, 0x18]
        case .pdf: Array("%PDF-".utf8)
        case .rar: Array("Rar!".utf8) + [0x1A, 0x07]
        }
    }

    var description: String {
        switch self {
        case .cabinet: "a cabinet file"
        case .eventLog: "a Windows event log"
        case .lz4: "an lz4 file"
        case .pdf: "a PDF"
        case .rar: "a RAR archive"
        }
    }

    var advice: String {
        switch self {
        case .cabinet, .lz4, .rar: "unpack it first"
        case .eventLog, .pdf: "give the ULS logs, from the farm's LOGS folder"
        }
    }
}
