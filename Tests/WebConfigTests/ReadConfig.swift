import WebConfig

/// Reads a configuration that a test has written.
func config(_ text: String) throws(WebConfigError) -> WebConfigFile {
    try WebConfigFile(Array(text.utf8), source: WebConfigSource(path: "web.config"))
}

/// Why a configuration is refused; `nil` when it is read.
func refusal(_ bytes: [UInt8]) -> WebConfigError? {
    do {
        _ = try WebConfigFile(bytes, source: WebConfigSource(path: "web.config"))
        return nil
    } catch {
        return error
    }
}

func refusal(_ text: String) -> WebConfigError? { refusal(Array(text.utf8)) }

/// `bytes` of UTF-16 behind its mark.
func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
    let units = Array("\u{FEFF}".utf16) + Array(text.utf16)
    return units.flatMap { unit in
        let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        return bigEndian ? bytes : bytes.reversed()
    }
}
