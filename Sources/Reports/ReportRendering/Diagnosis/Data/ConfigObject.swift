import JSONText
import LogDiagnosis
import WebConfig

/// The members of an element of web.config that a finding rests on, in the data formats.
enum ConfigObject {
    /// Writes them; places are `null` where the file has no such element and the default holds.
    static func writeMembers(of config: ConfigEvidence, to object: inout JSONWriter) {
        object.member("file", LogString(text: config.source.path))
        object.member("server", log: config.source.server)
        object.member("zone", log: config.source.zone)
        object.member("element", LogString(text: config.path))
        object.member("location", config.element?.location.map(LogString.init))
        object.member("line", config.element?.line)
        object.member("column", config.element?.column)
        object.member("lineEnd", config.element?.lineEnd)
        object.member("columnEnd", config.element?.columnEnd)
        object.array("attributes") { array in
            for attribute in config.attributes {
                array.object { object in
                    object.member("name", LogString(text: attribute.name))
                    object.member("value", LogString(text: config.shownValue(of: attribute)))
                    object.member("line", attribute.line)
                    object.member("column", attribute.column)
                }
            }
        }
    }
}
