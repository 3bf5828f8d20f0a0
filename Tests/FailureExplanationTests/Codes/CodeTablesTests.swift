import BuiltInFiles
import Foundation
import TestSupport
import Testing

@testable import FailureExplanation

/// The tables are complete and sorted.
struct CodeTablesTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    private static let folder = root.appending(path: "Rules/Codes")
    private static let include =
        ProcessInfo.processInfo.environment["MINGW_INCLUDE"] ?? "/usr/share/mingw-w64/include"

    @Test func `Every file begins with the sources of its facts`() throws {
        for file in BuiltInFile.codes {
            let text = file.text
            #expect(text.hasPrefix("# "), "\(file.name)")
        }
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: include + "/winerror.h"),
            "the headers of mingw-w64-common are not installed"
        )
    )
    func `The tables contain every name and number in the headers`() throws {
        let script = try ChildProgram.run(Self.root.appending(path: "Scripts/generate-codes").path, ["check"])
        #expect(script.status == 0, "\(script.errors)")
    }

    @Test(arguments: [
        (FailureCode.Space.win32, 1576), (.hresult, 792), (.ntstatus, 731), (.clr, 212), (.ldap, 63), (.wmi, 69),
        (.x509, 51), (.http, 121), (.kerberos, 67), (.sql, 326), (.search, 157), (.sharepoint, 26), (.permission, 36),
        (.mi, 27), (.setup, 38), (.userRight, 90), (.entra, 28), (.wif, 5), (.exception, 3), (.sentence, 1374),
    ])
    func `A table has the expected number of names`(space: FailureCode.Space, count: Int) {
        #expect(CodeTables.builtIn.entries(of: space).count == count)
    }

    @Test(arguments: FailureCode.Space.allCases)
    func `A table is sorted and has no duplicate names`(space: FailureCode.Space) {
        let entries = CodeTables.builtIn.entries(of: space)
        #expect(!entries.isEmpty)
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.number <= $1.number })
        // Our own short names may be identical; names from headers may not.
        let names = entries.map { CodeTables.builtIn.name(of: $0) }.filter { $0.contains("_") }
        #expect(Set(names).count == names.count)
        #expect(entries.allSatisfy { !CodeTables.builtIn.name(of: $0).isEmpty })
    }

    @Test func `Every line of a table is an entry`() {
        let tables = BuiltInFile.codes.filter { $0.name.hasSuffix(".tsv") && !$0.name.hasPrefix("phrases") }
        let lines = tables.reduce(0) { $0 + $1.withoutComments.split(separator: "\n").count }
        #expect(CodeTables.builtIn.entries.count == lines)
    }

    @Test(arguments: FailureCode.Space.allCases)
    func `Every number is found, and every name maps back to its number`(space: FailureCode.Space) throws {
        for entry in CodeTables.builtIn.entries(of: space) {
            let name = CodeTables.builtIn.name(of: entry)
            let code = try #require(FailureCodes.code(entry.number, in: space))
            #expect(code.number == entry.number && code.space == space)
            let named = try #require(CodeTables.builtIn.entry(named: ArraySlice(name.utf8)), "\(name)")
            #expect(CodeTables.builtIn.name(of: named) == name)
            // The same name may be in two spaces, such as SQL Server's "time-out"; a name from a header has only one
            // number.
            if name.contains("_") { #expect(named.number == entry.number, "\(name)") }
        }
    }

    @Test(arguments: [
        ("ERROR_NONE_MAPPED", FailureCode.Space.win32, UInt64(1332)), ("ERROR_DS_LOCAL_ERROR", .win32, 8251),
        ("ERROR_DS_INVALID_ATTRIBUTE_SYNTAX", .win32, 8203), ("ERROR_KEY_DELETED", .win32, 1018),
        ("RPC_S_SERVER_UNAVAILABLE", .win32, 1722), ("WSAECONNRESET", .win32, 10054),
        ("ERROR_WINHTTP_TIMEOUT", .win32, 12002), ("E_ACCESSDENIED", .hresult, 0x8007_0005),
        ("NTE_BAD_KEYSET", .hresult, 0x8009_0016), ("SEC_E_LOGON_DENIED", .hresult, 0x8009_030C),
        ("CERT_E_UNTRUSTEDROOT", .hresult, 0x800B_0109), ("STATUS_LOGON_FAILURE", .ntstatus, 0xC000_006D),
        ("COR_E_TYPELOAD", .clr, 0x8013_1522), ("COR_E_MISSINGMETHOD", .clr, 0x8013_1513),
        ("WBEM_E_INVALID_NAMESPACE", .wmi, 0x8004_100E), ("LDAP_INVALID_CREDENTIALS", .ldap, 49),
        ("KDC_ERR_ETYPE_NOSUPP", .kerberos, 14), ("PartialChain", .x509, 0x10000),
        ("CERT_TRUST_IS_OFFLINE_REVOCATION", .x509, 0x0100_0000), ("UseRemoteAPIs", .permission, 0x20_0000_0000),
        ("SeImpersonatePrivilege", .userRight, 29), ("CI_CORRUPT_CATALOG", .search, 0xC004_1801),
        ("PRTH_E_ACCESS_DENIED", .search, 0x8004_1205),
    ])
    func `Names that administrators encounter map to their numbers`(
        name: String,
        space: FailureCode.Space,
        number: UInt64
    ) {
        #expect(FailureCodes.lookUp(name).map { CodeKey($0.space, $0.number) } == [CodeKey(space, number)])
    }

    @Test func `There are 25 chain states, and at least 60 Kerberos errors, 33 permissions and 44 user rights`() {
        let tables = CodeTables.builtIn
        #expect(Set(tables.entries(of: .x509).map(\.number)).subtracting([0]).count == 25)
        #expect(tables.entries(of: .kerberos).count >= 60)
        #expect(tables.entries(of: .permission).count >= 33)
        #expect(tables.entries(of: .userRight).count >= 44)
    }
}

extension BuiltInFile {
    /// The text without the lines that begin with `#`.
    var withoutComments: String {
        text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("#") }
            .joined(separator: "\n")
    }
}
