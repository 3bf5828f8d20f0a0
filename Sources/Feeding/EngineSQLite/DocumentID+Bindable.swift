public import ContentFeeding
public import SQLiteStore

extension DocumentID: Bindable {
    public func bind(to parameter: Parameter) throws(SQLiteError) { try parameter.bind(utf8: utf8) }
}
