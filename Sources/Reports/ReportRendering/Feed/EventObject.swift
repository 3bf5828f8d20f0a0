import ContentFeeding
import JSONText

/// `fastctl.event/1`: what became of one operation, on a line of its own.
enum EventObject {
    static func append(_ outcome: OperationOutcome, in collection: CollectionName, to bytes: inout [UInt8]) {
        let failure = outcome.issue?.failure
        bytes.append(object: "fastctl.event/1") { object in
            object.member("operationID", outcome.operationID.rawValue)
            object.member("operation", outcome.kind.rawValue)
            object.member("documentID", outcome.documentID)
            object.member("outcome", outcome.outcome.name)
            object.member("code", failure?.code.rawValue)
            object.member("number", failure?.code.number)
            object.member("description", failure?.description(of: outcome.documentID, in: collection))
        }
        bytes.append(0x0A)
    }
}
