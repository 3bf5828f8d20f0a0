import XMLStream

extension WebConfigError {
    /// What the reader of XML says of `source`.
    init(_ error: XMLError, source: WebConfigSource) {
        let (code, advice): (Code, String?) =
            switch error.code {
            case .forbidden: (.refused, "remove the DOCTYPE: .NET does not need one in a web.config")
            case .unsupportedEncoding: (.refused, "save it as XML in UTF-8, and let its first line say so")
            case .tooLarge: (.tooLarge, "check that this is a web.config: real ones are far smaller")
            case .disagreement: (.refused, "save it as UTF-8, and report this file")
            default: (.malformed, "correct the XML: .NET does not read it either")
            }
        self.init(
            code: code,
            source: source,
            line: error.line,
            column: error.column,
            message: error.message,
            advice: advice
        )
    }
}
