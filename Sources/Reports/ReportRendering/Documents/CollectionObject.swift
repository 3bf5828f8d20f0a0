public import ContentFeeding
import JSONText

/// `fastctl.collection/1`: what is known of a collection.
public enum CollectionObject {
    /// Appends the object, without a line end.
    public static func append(_ collection: CollectionDescription, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.collection/1") { object in
            object.member("name", collection.name.rawValue)
            object.member("documents", collection.documents)
            object.member("waiting", collection.waiting)
            object.member("bytes", collection.bytes)
            object.object("settings") { settings in
                for setting in collection.settings { settings.member(setting.name, setting.value) }
            }
        }
    }
}
