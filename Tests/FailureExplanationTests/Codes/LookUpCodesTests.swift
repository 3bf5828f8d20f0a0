import Testing

@testable import FailureExplanation

/// Input that a user may type.
struct LookUpCodesTests {
    @Test(arguments: [
        ("0x800703FA", ["hresult ERROR_KEY_DELETED"]), ("800703fa", ["hresult ERROR_KEY_DELETED"]),
        ("1332", ["win32 ERROR_NONE_MAPPED"]), ("\"1332\"", ["win32 ERROR_NONE_MAPPED"]),
        ("-2147024894", ["hresult ERROR_FILE_NOT_FOUND", "clr COR_E_FILENOTFOUND"]),
        ("2147942402", ["hresult ERROR_FILE_NOT_FOUND", "clr COR_E_FILENOTFOUND"]),
        ("0xFFFFFFFF80070005", ["hresult E_ACCESSDENIED", "clr COR_E_UNAUTHORIZEDACCESS"]),
        ("sql:4060", ["sql cannot open the database requested by the login"]),
        ("sql: -2", ["sql client time-out"]),
        ("http:503.2", ["http Concurrent request limit exceeded"]),
        ("503.2", ["http Concurrent request limit exceeded"]),
        ("http:503.77", ["http Service Unavailable"]), ("ERROR_NONE_MAPPED", ["win32 ERROR_NONE_MAPPED"]),
        ("error_none_mapped", ["win32 ERROR_NONE_MAPPED"]), ("Keyset does not exist", ["hresult NTE_BAD_KEYSET"]),
        ("hr:0x80131904", ["clr COR_E_SqlException"]), ("kerberos:0xE", ["kerberos KDC_ERR_ETYPE_NOSUPP"]),
        ("ldap:LDAP_BUSY", ["ldap LDAP_BUSY"]), ("permission:0x3", ["permission ViewListItems, AddListItems"]),
        ("49", ["ldap LDAP_INVALID_CREDENTIALS", "kerberos KRB_AP_ERR_BADSEQ"]),
        ("0xC000006D", ["ntstatus STATUS_LOGON_FAILURE"]),
        ("-2", ["sql client time-out"]), ("Access is denied. 0x80070005", ["hresult E_ACCESSDENIED"]),
    ])
    func `A code can be looked up by a number, a name or a sentence`(words: String, codes: [String]) {
        #expect(FailureCodes.lookUp(words).map { "\($0.space.rawValue) \($0.name ?? "")" } == codes)
    }

    @Test func `A number can be in several spaces, which are returned in a fixed order`() {
        #expect(FailureCodes.lookUp("53").map(\.space) == [.win32, .sql, .ldap])
        #expect(FailureCodes.lookUp("0x80070024").map(\.space) == [.sharepoint, .hresult])
    }

    @Test(arguments: [
        "", " ", "sql:", "sql:99999", "nothing:5", "hello", "win32:99999", "99999", ":", "0x", "permission:0",
    ])
    func `Unknown words have no meaning`(words: String) {
        #expect(FailureCodes.lookUp(words).isEmpty)
    }

    @Test func `A mask is decoded into its rights and the remaining bits`() {
        #expect(FailureCodes.code(0x20_0001_0400, in: .permission)?.name == "Open, UseRemoteAPIs, 0x400")
        #expect(FailureCodes.code(0x7FFF_FFFF_FFFF_FFFF, in: .permission)?.name == "FullMask")
        #expect(FailureCodes.code(0, in: .permission) == nil)
    }

    @Test(arguments: [
        ("win32:5", "5"), ("hresult:0x80070005", "0x80070005"), ("http:503.2", "503.2"), ("http:503", "503"),
        ("AADSTS90002", "AADSTS90002"), ("entra:90002", "AADSTS90002"), ("0x80005000", "0x80005000"), ("sql:-2", "-2"),
        ("x509:1", "0x00000001"), ("permission:0x2000000000", "0x2000000000"),
    ])
    func `A number is written in the notation of its space`(words: String, spelled: String) {
        #expect(FailureCodes.lookUp(words).map(\.spelled) == [spelled])
    }

    @Test func `An HRESULT that wraps a Windows error has the meaning of that error`() throws {
        let wrapped = try #require(FailureCodes.lookUp("0x80070534").first)
        let plain = try #require(FailureCodes.lookUp("1332").first)
        #expect(plain.meaning != nil && wrapped.meaning == plain.meaning && wrapped.checks == plain.checks)
    }

    @Test func `An HTTP substatus without a meaning of its own has the meaning of its status`() throws {
        let detail = try #require(FailureCodes.lookUp("http:503.77").first)
        #expect(detail.meaning != nil && detail.meaning == FailureCodes.lookUp("http:503").first?.meaning)
        // A named failure may differ from its status: a full ASP.NET queue is not a stopped pool.
        let named = try #require(FailureCodes.lookUp("http:503.3").first)
        #expect(named.name == "ASP.NET queue full")
        #expect(named.causes == [])
        let meaning = try #require(named.meaning)
        #expect(meaning.contains("queue"))
    }

    @Test(arguments: [
        ("sql:18456.8", "the password is wrong"), ("sql:18456.38", "database"),
        ("sql:18456.1", "does not give the client the reason"),
        ("sql:18456.200", "The state in its error log gives the reason"),
    ])
    func `A refused login is explained by the state number`(words: String, meaning: String) throws {
        let told = try #require(FailureCodes.lookUp(words).first?.meaning)
        #expect(told.contains(meaning))
    }

    @Test func `An interface-specific number is listed for each component that defines it`() {
        #expect(FailureCodes.lookUp("0x8004100E").map(\.space) == [.wmi])
        #expect(FailureCodes.lookUp("hr:0x80041205").map(\.name) == ["PRTH_E_ACCESS_DENIED"])
    }

    @Test(arguments: [
        "1326", "0x800703FA", "sql:4060", " sql: -2 ", "Keyset does not exist", "Keyset does not exist.", "data 52e",
        "ERROR_NONE_MAPPED", "nonsense", "AADSTS90002", "\"Access is denied.\"", "login failed for the user",
    ])
    func `A single word or sentence counts as a question`(line: String) {
        #expect(FailureCodes.isQuestion(line))
    }

    @Test(arguments: [
        "it failed with 1326", "Access is denied, says Bob", "error 0x80070005 (E_ACCESSDENIED)", "no code at all",
        "Cannot open database \"X\" requested by the login. The login failed.", "note: 5 of them",
    ])
    func `Longer text does not count as a question`(line: String) {
        #expect(!FailureCodes.isQuestion(line))
    }
}
