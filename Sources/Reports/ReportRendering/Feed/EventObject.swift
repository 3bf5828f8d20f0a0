import ContentFeeding

/// `fastctl.event/1`: what became of one operation, on a line of its own.
enum EventObject {
    static func append(_ outcome: OperationOutcome, in collection: CollectionName, to bytes: inout [UInt8]) {
        let failure = outcome.issue?.failure
        var object = JSONObjectText.begin("fastctl.event/1", in: &bytes)
        object.member("operationID", outcome.operationID.rawValue, in: &bytes)
        object.member("operation", outcome.kind.rawValue, in: &bytes)
        object.member("documentID", outcome.documentID.text, in: &bytes)
        object.member("outcome", outcome.outcome.name, in: &bytes)
        object.member("code", failure?.code.rawValue, in: &bytes)
        object.member("number", failure?.code.number, in: &bytes)
        object.member("description", failure?.description(of: outcome.documentID, in: collection), in: &bytes)
        object.end(in: &bytes)
        bytes.append(0x0A)
    }
}
