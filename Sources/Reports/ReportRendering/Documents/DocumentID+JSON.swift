public import ContentFeeding
public import JSONText

extension DocumentID: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.value(utf8: utf8) }
}
