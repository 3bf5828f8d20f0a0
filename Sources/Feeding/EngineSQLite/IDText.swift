import ContentFeeding
import SQLiteStore

/// A document ID as a statement takes it: as text.
struct IDText: Bindable {
    let id: DocumentID

    init(_ id: DocumentID) { self.id = id }

    func bind(to parameter: Parameter) throws(SQLiteError) { try parameter.bind(utf8: id.utf8) }
}
