import Testing
import WebConfig

struct SecretTests {
    private func isSecret(_ name: String, in attributes: KeyValuePairs<String, String>) -> Bool {
        let attributes = attributes.map { ConfigAttribute(name: $0.key, value: $0.value, line: 1, column: 1) }
        let element = ConfigElement(path: "x", attributes: attributes, line: 1, column: 1, lineEnd: 1, columnEnd: 1)
        return attributes.filter { $0.name == name }.contains { element.isSecret($0) }
    }

    @Test(arguments: [
        "validationKey", "decryptionKey", "password", "Password", "connectionString", "sqlConnectionString",
        "clientSecret",
        "smtpPwd", "accountKey", "authToken",
    ])
    func keysAndPasswordsAreSecret(name: String) {
        #expect(isSecret(name, in: [name: "x"]))
    }

    @Test(arguments: ["key", "enabled", "mode", "path", "publicKeyToken", "type", "validation"])
    func settingsAreNot(name: String) {
        #expect(!isSecret(name, in: [name: "x"]))
    }

    @Test(arguments: ["SmtpPassword", "ApiKey", "ClientSecret", "MyConnectionString"])
    func aValueIsAsSecretAsItsKeySounds(key: String) {
        #expect(isSecret("value", in: ["key": key, "value": "x"]))
        #expect(isSecret("value", in: ["value": "x", "name": key]))
        #expect(!isSecret("key", in: ["key": key, "value": "x"]))
    }

    @Test func otherValuesAreNot() {
        #expect(!isSecret("value", in: ["key": "aspnet:MaxHttpCollectionKeys", "value": "1000"]))
    }

    @Test func aPasswordInAnotherTextIsSecret() {
        #expect(isSecret("value", in: ["key": "Database", "value": "Server=db; Password = x"]))
    }
}
