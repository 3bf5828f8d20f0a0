import JSONText

/// What Solr says of a reply as a whole, in its `responseHeader`.
struct ReplyHeader: Hashable {
    /// One operation that a tolerant update processor passed over.
    struct ItemError: Hashable {
        /// `ADD` or `DELID`.
        var type: String
        var id: String
        var message: String
    }

    /// 0, or the reply is no success, whatever HTTP says.
    var status: Int
    /// Some of the collection did not answer.
    var isPartial = false
    var errors: [ItemError] = []
    /// How long Solr worked on it, in milliseconds.
    var milliseconds = 0

    /// The header of a reply; `nil` where it has none.
    static func read(_ body: [UInt8]) throws(JSONError) -> ReplyHeader? {
        var scanner = JSONScanner(body.span)
        var header: ReplyHeader?
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "responseHeader") {
                header = try scanner.header()
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.end()
        return header
    }
}

extension JSONScanner {
    fileprivate mutating func header() throws(JSONError) -> ReplyHeader {
        var header = ReplyHeader(status: -1)
        try enterObject()
        while let key = try nextKey() {
            switch text(of: key) {
            case "status": header.status = try int()
            case "QTime": header.milliseconds = try int()
            case "partialResults": header.isPartial = try truth()
            case "errors": header.errors = try itemErrors()
            default: try skipValue()
            }
        }
        return header
    }

    /// Newer Solr says `"omitted"` in the place of `true`.
    private mutating func truth() throws(JSONError) -> Bool {
        if try kind() == .bool { return try bool() }
        try skipValue()
        return true
    }

    private mutating func itemErrors() throws(JSONError) -> [ReplyHeader.ItemError] {
        var errors: [ReplyHeader.ItemError] = []
        try enterArray()
        while try nextElement() {
            var error = ReplyHeader.ItemError(type: "", id: "", message: "")
            try enterObject()
            while let key = try nextKey() {
                switch text(of: key) {
                case "type": error.type = try stringText()
                case "id": error.id = try stringText()
                case "message": error.message = try stringText()
                default: try skipValue()
                }
            }
            errors.append(error)
        }
        return errors
    }
}
