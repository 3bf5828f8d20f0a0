import ContentFeeding
import EngineHTTP

/// The address of a table, or of a container's blobs, in an account of Azure Storage.
struct AzureAddress: Hashable, Sendable {
    /// The account's part of the service, which all paths begin with: empty, but for an emulator.
    let service: HTTPAddress
    /// The account's name, as the address tells it.
    let account: String
    /// The path below the account: a table, or a container and the beginning of names.
    let path: Substring

    /// Reads an address such as `https://ACCOUNT.table.core.windows.net/TABLE` or
    /// `http://127.0.0.1:10002/ACCOUNT/TABLE`.
    init(_ url: String) throws(SourceError) {
        guard !url.contains("@"), var address = HTTPAddress(url) else {
            // It may hold a secret, so it is not shown.
            throw SourceError(
                .invalidAddress,
                "the address of the storage account can't be read",
                advice: "expected https://ACCOUNT.table.core.windows.net/TABLE or …blob.core.windows.net/CONTAINER"
            )
        }
        guard address.query.isEmpty else {
            throw SourceError(
                .invalidAddress,
                "the address \(address.name) has parameters that mean nothing here",
                advice: "a SAS is no part of the address: give it with the credentials, where nobody else can read it"
            )
        }
        var path = address.path.dropFirst()
        let host = address.node.host
        let label = host.prefix { $0 != "." }
        // An address without a domain is that of an emulator, whose paths begin with the account.
        let isEmulator = label.count == host.count || address.node.isLoopback || label.allSatisfy(\.isNumber)
        if isEmulator {
            let first = path.prefix { $0 != "/" }
            path = path.dropFirst(first.count + 1)
            address.path = "/\(first)"
            account = String(first)
        } else {
            address.path = ""
            let secondary = "-secondary"
            account = String(label.hasSuffix(secondary) ? label.dropLast(secondary.count) : label)
        }
        guard !account.isEmpty, !path.isEmpty else {
            throw SourceError(
                .invalidAddress,
                "the address \(address.server)\(address.path)/\(path) names \(account.isEmpty ? "no account" : "nothing in the account")",
                advice: "expected \(isEmulator ? "\(address.server)/ACCOUNT/NAME" : "\(address.server)/NAME")"
            )
        }
        service = address
        self.path = path
    }

    /// Returns the address of something in the account.
    func adding(_ path: String) -> HTTPAddress {
        var address = service
        address.path += "/" + path
        return address
    }
}
