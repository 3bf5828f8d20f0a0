import EngineCatalog
import Testing

/// What settings may say of where credentials come from.
struct CredentialTextTests {
    @Test(arguments: ["SEARCH_PASSWORD", "_x", "a1"])
    func namesOfVariables(text: String) {
        #expect(VariableText.isValid(text))
    }

    @Test(arguments: ["", "1a", "elastic:hunter2", "A B", "A-B", "Ä"])
    func textThatIsNoNameOfAVariable(text: String) {
        #expect(!VariableText.isValid(text))
    }

    @Test(arguments: [
        "vault read secret", "/usr/bin/get", "~/bin/get x", "$HOME/bin/get", "\"/opt/my tools/get\" x",
        "VAULT_ADDR=https://v:8200 vault read", "printf %s /tmp/x",
    ])
    func helpersThatAreTheSameEverywhere(text: String) {
        #expect(HelperText.isValid(text))
    }

    @Test(arguments: ["", "  ", "./get-secret", "bin/get", " ./get x", "'./get'", "A=1 ./get", "../get"])
    func helpersThatDependOnTheFolder(text: String) {
        #expect(!HelperText.isValid(text))
    }
}
