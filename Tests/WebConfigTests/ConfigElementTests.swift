import Testing
import WebConfig

struct ConfigElementTests {
    @Test(arguments: ["validationKey", "decryptionKey", "password", "connectionString", "clientSecret"])
    func keysAndPasswordsAreSecret(name: String) {
        #expect(ConfigAttribute(name: name, value: "x", line: 1, column: 1).isSecret)
    }

    @Test(arguments: ["key", "enabled", "mode", "path"])
    func settingsAreNot(name: String) {
        #expect(!ConfigAttribute(name: name, value: "x", line: 1, column: 1).isSecret)
    }
}
