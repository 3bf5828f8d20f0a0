/// What is said of the keys that sign and encrypt view state: never the keys.
enum MachineKey {
    static let element = "system.web/machineKey"
    static let absent = "absent"

    /// Whether the keys are written out, or made by each server for itself, which is .NET's default for each of them.
    static func summary(of element: ConfigElement) -> (value: String, attribute: ConfigAttribute?) {
        let explicit = element.attributes.first { attribute in
            ["validationKey", "decryptionKey"].contains(attribute.name)
                && !attribute.value.lowercased().contains("autogenerate")
        }
        return (explicit == nil ? "generated" : "explicit", explicit)
    }
}
