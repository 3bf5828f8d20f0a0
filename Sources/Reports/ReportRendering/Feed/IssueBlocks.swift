import ContentFeeding

/// The two blocks at the end of a feed, each only when it is not empty: errors, then warnings.
///
/// ```
/// Total Errors: 1
/// Operation ID: 3 Document ID: FAKEID Error Code: 3 Description: Document e14c…_WebCollection does not exist
/// ```
enum IssueBlocks {
    static func append(_ result: FeedResult, to bytes: inout [UInt8], drain: BufferDrain) throws {
        let collection = result.report.collection
        if result.errors.count > 0 {
            bytes.append(text: "Total Errors: ")
            try append(result.errors, titled: " Error Code: ", in: collection, to: &bytes, drain: drain)
        }
        if result.warnings.count > 0 {
            bytes.append(text: "Total Warnings: ")
            try append(result.warnings, titled: " Warning Code: ", in: collection, to: &bytes, drain: drain)
        }
    }

    private static func append(
        _ issues: DocumentIssues,
        titled title: StaticString,
        in collection: CollectionName,
        to bytes: inout [UInt8],
        drain: BufferDrain
    ) throws {
        bytes.append(number: issues.count)
        bytes.append(0x0A)
        try issues.read { outcome in
            guard let failure = outcome.issue?.failure else { return }
            bytes.append(text: "Operation ID: ")
            bytes.append(number: outcome.operationID.rawValue)
            bytes.append(text: " Document ID: ")
            bytes.append(safe: outcome.documentID.utf8)
            bytes.append(text: title)
            append(failure.code, to: &bytes)
            bytes.append(text: " Description: ")
            bytes.append(safe: failure.description(of: outcome.documentID, in: collection))
            bytes.append(0x0A)
            if bytes.count >= drainThreshold { try drain(&bytes) }
        }
    }

    /// FAST's number where there is one, else the slug.
    private static func append(_ code: DocumentFailure.Code, to bytes: inout [UInt8]) {
        if let number = code.number { bytes.append(number: number) } else { bytes.append(safe: code.rawValue) }
    }
}
