import LogDiagnosis
import WebConfig

extension ConfigEvidence {
    /// The element as far as it was looked at: `<trace enabled="true" />`, in its location if it has one.
    ///
    /// A value that may be a secret is never in it.
    var text: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let element else { return "no <\(name)>: the default holds" }
        let attributes = attributes.map { " \($0.name)=\"\(shownValue(of: $0))\"" }.joined()
        let location = element.location.map { $0.isEmpty ? ", in a <location>" : ", in <location path=\"\($0)\">" }
        return "<\(name)\(attributes) />\(location ?? "")"
    }

    /// The value of one of its attributes, or three dots in the place of a secret.
    func shownValue(of attribute: ConfigAttribute) -> String {
        element?.isSecret(attribute) ?? true ? "•••" : attribute.value
    }

    /// Whose file it is: `WFE1, Intranet`; `nil` where that was not said.
    var owner: String? {
        let parts = [source.server, source.zone].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
