import Testing

@testable import FailureExplanation

/// Text that is recognized as a code, and text that is not.
struct FindCodesTests {
    @Test(arguments: [
        ("Exception from HRESULT: 0x80070005 (E_ACCESSDENIED)", ["hresult:0x80070005"]),
        ("failed with 0x800703fa, then with 0x8007203B", ["hresult:0x800703FA", "hresult:0x8007203B"]),
        ("failed due to the following error: 800703fa.", ["hresult:0x800703FA"]),
        ("Code=\"-2147024891\"", ["hresult:0x80070005"]),
        ("result -2130575338 of the list", ["sharepoint:0x81020016"]),
        ("status 0xC000006D", ["ntstatus:0xC000006D"]),
        ("HRESULT 0xFFFFFFFF80070005", ["hresult:0x80070005"]),
        ("SqlException (0x80131904): something", ["clr:0x80131904"]),
        ("WMI 0x8004100E", ["wmi:0x8004100E"]), ("the crawler: hr 0x80041205L", ["search:0x80041205"]),
        ("hr 0x80040dd1 of mssearch", ["search:0x80040DD1"]), ("hr 0x80041205", ["hresult:0x80041205"]),
        ("0x80190191", ["hresult:0x80190191"]),
        ("COMException (0x80070024): x", ["sharepoint:0x80070024"]),
        ("Exception code: 0xc0000005", ["ntstatus:0xC0000005"]),
        ("status: 0x8ABCDEF0", []), ("System error -1073735825", []), ("status: 0xC0001A2B", []),
        ("System error -1073738823", ["hresult:0xC0000BB9"]), ("System error code 997", ["win32:997"]),
        ("at line 0x8ABCDEF0", []),
    ])
    func `Eight-digit and negative numbers are codes`(text: String, codes: [String]) {
        #expect(keys(text) == codes)
    }

    @Test(arguments: [
        ("Create store file error.. Win32 error code=5", ["win32:5"]),
        ("LogonUser failed with error code 5", ["win32:5"]),
        ("Win32 error 1332", ["win32:1332"]), ("LastError=1008", ["win32:1008"]), ("error 1332", ["win32:1332"]),
        ("ErrorCode=1355.", ["win32:1355"]), ("cannot delete, Error 00000020", ["win32:32"]),
        ("System error 53 has occurred", ["win32:53"]), ("Systemfehler 53", ["win32:53"]),
        ("error code 5", []), ("It failed. Error: 6", []), ("Windows could not start it: error 5", ["win32:5"]),
        ("GetSecret failed. Error Code: 6\nError Type: MI", ["mi:6"]), ("Error Code: 4 Error Type: Minor", []),
        ("MIResult: 11", ["mi:11"]), ("The update ended. Exit code: 17025", ["setup:17025"]),
        ("setup.exe exited with code 30030", ["setup:30030"]), ("setup.exe exited with code 3", []),
        ("msiexec /i a.msi, exit code 1603", ["win32:1603"]), ("the script's exit code was 1603", []),
        ("The operating system returned error 5(Access is denied.)", ["win32:5"]), ("error 0x5", ["win32:5"]),
        ("the procedure's error code: 4", []), ("Stored Procedure call returned an error. Error Code: 5", []),
        ("LDAP error 49", ["ldap:49"]), ("LDAP error code 0x31", ["ldap:49"]),
        ("Kerberos error 0x18", ["kerberos:24"]),
        ("Kerberos pre-authentication failed. Failure Code: 0x18", ["kerberos:24"]),
        (
            "80090308: LdapErr: DSID-0C0903A9, comment: AcceptSecurityContext error, data 52e, v1db1",
            ["hresult:0x80090308", "win32:1326"]
        ),
    ])
    func `The words before a number identify its space`(text: String, codes: [String]) {
        #expect(keys(text) == codes)
    }

    @Test(arguments: [
        ("Msg 4060, Level 11, State 1", ["sql:4060"]), ("SQL error 1205", ["sql:1205"]),
        ("Error Number:4060,State:1,Class:11", ["sql:4060"]),
        ("Error: 18456, Severity: 14, State: 8.", ["sql:18456.8"]),
        ("Error: 18456, Severity: 14, State: 200.", ["sql:18456"]),
        ("Unexpected query execution failure, error code 1205", ["sql:1205"]), ("Unknown SQL Exception 53", ["sql:53"]),
        ("Error: 4060", ["sql:4060"]), ("error 1205", ["win32:1205"]), ("Error Number:-2,State:0,Class:11", ["sql:-2"]),
        ("Unknown SQL Exception 9002 occurred.", ["sql:9002"]),
    ])
    func `SQL Server errors are recognized by the text around them`(text: String, codes: [String]) {
        #expect(keys(text) == codes)
    }

    @Test(arguments: [
        ("The remote server returned an error: (401) Unauthorized.", ["http:401"]),
        ("The remote server returned an error: (503) Server Unavailable.", ["http:503"]),
        ("page 14: status=429 retry-after=118", ["http:429"]), ("status: 12", []), ("status=418", []),
        ("status code 503", ["http:503"]), ("HTTP 401", ["http:401"]), ("HTTP/1.1 502 Bad Gateway", ["http:502"]),
        ("HTTP Error 404.13 - x", ["http:404.13"]), ("HTTP status 401.2", ["http:401.2"]),
        ("StatusCode: Forbidden", ["http:403"]), ("submit failed, status code 200", []), ("HTTP 302", []),
    ])
    func `HTTP statuses of 400 and above are recognized, with their substatus`(text: String, codes: [String]) {
        #expect(keys(text) == codes)
    }

    @Test(arguments: [
        ("KDC_ERR_S_PRINCIPAL_UNKNOWN", ["kerberos:7"]), ("got CERT_E_EXPIRED.", ["hresult:0x800B0101"]),
        ("WSAECONNREFUSED", ["win32:10061"]), ("STATUS_ACCESS_DENIED", ["ntstatus:0xC0000022"]),
        ("chain status: PartialChain, OfflineRevocation", ["x509:0x00010000", "x509:0x01000000"]),
        ("Original exception: AADSTS7000215: Invalid client secret.", ["entra:AADSTS7000215"]),
        ("AADSTS1 and AADSTS, AADSTS7000215x, 7000215", []),
        ("Status: Revoked", ["x509:0x00000004"]), ("PartialChain, Revoked", ["x509:0x00010000", "x509:0x00000004"]),
        ("Process needs SeAssignPrimaryTokenPrivilege", ["user-right:3"]),
        ("SE_ASSIGNPRIMARYTOKEN_NAME and SE_INCREASE_QUOTA_NAME are required", ["user-right:3", "user-right:5"]),
        ("asking for 0x10000, have 0x2000000000", ["permission:0x10000"]),
        ("Asking for 0x00040802, have 0x7FFFFFFFFFFBFFFF", ["permission:0x40000"]),
        ("A Kerberos service ticket was requested. Account Name: a Failure Code:\t0x7", ["kerberos:7"]),
        ("asking for 0x10000, have 0x30000", []), ("asking for 0x10000", ["permission:0x10000"]),
    ])
    func `Names of codes are recognized wherever they occur`(text: String, codes: [String]) {
        #expect(keys(text) == codes)
    }

    @Test(arguments: [
        ("Exception code: 0xE0434352", ["exception:0xE0434352"]), ("exception 0xE1234567", ["exception:0xE1234567"]),
        ("the document failed: 0xC00CE556 here", ["hresult:0xC00CE556"]),
        ("it says ID4220: The SAML assertion", ["wif:ID4220"]), ("the item ID4220 is gone", []),
        ("AcceptSecurityContext error, data 775, v1db1", ["win32:1909"]), ("some data 775", []),
        ("00000005: SecErr: DSID-03152612, x", ["win32:5"]),
        ("The WMI query failed with 0x80041003", ["wmi:0x80041003"]), ("0x80041003 alone", ["hresult:0x80041003"]),
        ("(0x80070002): The file", ["hresult:0x80070002"]),
        ("(0x80070002): Could not load file or assembly 'X'", ["clr:0x80070002", "sentence:14"]),
        ("Could not load file or assembly 'X'. The system cannot find the file specified.", ["clr:0x80070002"]),
        ("Fehler: 18456, Schweregrad: 14, Status: 38.", ["sql:18456.38"]),
        ("Msg 18456, Level 14, State 1, Line 1", ["sql:18456.1"]),
    ])
    func `If a number belongs to several components, the surrounding text decides`(text: String, codes: [String]) {
        #expect(keys(text) == codes)
    }

    @Test(arguments: [
        "w3wp.exe (WFE1:0x0B18)", "4060", "1332 items", "5 errors", "0 errors, 53 warnings", "thread 0x80001234",
        "at 0x80004005", "owssvr.dll offset=000000000022BC69 at 0x000007FEE967BC69", "S_OK", "STATUS_SUCCESS",
        "{80070005-1234-4321-8888-123456789012}", "80070005-1234-4321-8888-123456789012", "error 10.0.0.5",
        "Error at 12:30:05", "error 5%", "The permission was Revoked by the owner", "a Conflict of Open items is Gone",
        "version 16.0.4351.1000", "0x00000000", "error 0", "HRESULT: 0x00000000", "port 1433", "code review 5",
        "Slow Query Duration: 1205", "ManageLists ViewPages", "part-2147024891", "tag-80070005", "0x",
        "error: 3 items", "Error 5 of 20", "job status 5", "exit code 5", "code 5", "msg 208", "0x800", "0xZZ",
        "-2147483649", "99999999999999999999", "error 1",
    ])
    func `Plain numbers, threads, addresses, GUIDs and successes are not codes`(text: String) {
        #expect(keys(text).isEmpty)
    }

    @Test func `A code that occurs twice is returned once, with its best evidence`() throws {
        let found = FailureCodes.find(in: "Access is denied. (Exception from HRESULT: 0x80070005 (E_ACCESSDENIED))")
        #expect(found.map(\.evidence) == [.number])
        let text = "Access is denied. (Exception from HRESULT: 0x80070005 (E_ACCESSDENIED))"
        let range = try #require(found.first).range
        #expect(String(decoding: Array(text.utf8)[range], as: UTF8.self) == "0x80070005")
    }

    @Test func `A code repeated thousands of times is found once, and later codes are also found`() {
        let text = String(repeating: "error 0x80070005; ", count: 20_000) + "Keyset does not exist"
        #expect(keys(text) == ["hresult:0x80070005", "hresult:0x80090016"])
    }

    @Test func `Codes are returned in text order, even with different kinds of evidence`() {
        let text = "Keyset does not exist; SEC_E_LOGON_DENIED; 0x8007203A"
        #expect(FailureCodes.find(in: text).map(\.evidence) == [.phrase, .name, .number])
    }

    @Test func `A number that is in no table is decoded by its parts`() throws {
        let code = try #require(FailureCodes.find(in: "HRESULT 0x80074E20").first?.code)
        #expect(code.name == nil)
        #expect(code.meaning == "Windows error 20000, as an HRESULT.")
        let wrapped = try #require(FailureCodes.code(0xD000_006D, in: .hresult))
        #expect(wrapped.name == "STATUS_LOGON_FAILURE")
    }

    @Test(.timeLimit(.minutes(10)))
    func `Numbers that could be the status of a request are read in linear time`() {
        #expect(keys(String(repeating: "400,", count: 100_000)) == [])
    }

    private func keys(_ text: String) -> [String] {
        FailureCodes.find(in: text).map { "\($0.code.space.rawValue):\($0.code.spelled)" }
    }
}
