public import ContentFeeding

/// `fastctl.collection/1`: what is known of a collection.
public enum CollectionObject {
    /// Appends the object, without a line end.
    public static func append(_ collection: CollectionDescription, to bytes: inout [UInt8]) {
        var object = JSONObjectText.begin("fastctl.collection/1", in: &bytes)
        object.member("name", collection.name.rawValue, in: &bytes)
        object.member("documents", collection.documents, in: &bytes)
        object.member("waiting", collection.waiting, in: &bytes)
        object.member("bytes", collection.bytes, in: &bytes)
        object.key("settings", in: &bytes)
        var settings = JSONObjectText(openingIn: &bytes)
        for setting in collection.settings {
            settings.key(setting.name, in: &bytes)
            bytes.append(json: setting.value)
        }
        settings.end(in: &bytes)
        object.end(in: &bytes)
    }
}
