public import ContentFeeding

/// The lines about each item, as FAST's cmdlet has them: `Removing item 'X'. Operation ID: 3`.
public enum ItemLines {
    static func append(
        _ operations: some Sequence<ContentOperation>,
        from first: OperationID,
        to bytes: inout [UInt8]
    ) {
        var id = first.rawValue
        for operation in operations {
            append(operation, to: &bytes)
            bytes.append(text: "'. Operation ID: ")
            bytes.append(number: id)
            bytes.append(0x0A)
            id += 1
        }
    }

    /// Appends `What if: Removing item 'X'.` and a line end.
    public static func appendWhatIf(_ operation: ContentOperation, to bytes: inout [UInt8]) {
        bytes.append(text: "What if: ")
        append(operation, to: &bytes)
        bytes.append(text: "'.\n")
    }

    private static func append(_ operation: ContentOperation, to bytes: inout [UInt8]) {
        switch operation.kind {
        case .add: bytes.append(text: "Adding item '")
        case .update: bytes.append(text: "Updating item '")
        case .remove: bytes.append(text: "Removing item '")
        }
        bytes.append(safe: operation.documentID.utf8)
    }
}
