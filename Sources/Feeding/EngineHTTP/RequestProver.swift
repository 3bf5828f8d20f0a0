package import ContentFeeding
package import HTTPClient

/// The proof of who we are on requests to a server that is no engine.
package struct RequestProver: Sendable {
    /// Which credentials a request had, so that they are renewed once for all requests that were refused with them.
    package struct Version: Sendable {
        fileprivate let loaded: CredentialKeeper.Version?
    }

    private let keeper: CredentialKeeper?
    private let storage: AzureStorage?

    /// Reads the credentials of a connection; `storage` is what requests are for, if it is Azure's.
    package init(_ options: ConnectionOptions, for storage: AzureStorage? = nil) async throws(EngineError) {
        keeper = try await options.loadedKeeper()
        self.storage = storage
        guard let keeper else { return }
        switch (await keeper.current.proof, storage) {
        case (.azure, .some), (.sent, nil): break
        case (_, .some):
            throw EngineError(
                .permission,
                "the credentials from \(keeper.source) are not those of Azure Storage",
                advice: "expected \(AzureCredentials.forms)"
            )
        case (_, nil):
            throw EngineError(
                .permission,
                "the credentials from \(keeper.source) are of no use for this server",
                advice: "expected \(CredentialText.forms)"
            )
        }
    }

    /// Where the credentials come from; `nil` if there are none.
    package var source: CredentialSource? { keeper?.source }

    /// Adds the proof to a request that is complete otherwise.
    package func prove(_ request: inout HTTPRequest, at time: WallTime) async -> Version {
        guard let keeper else { return Version(loaded: nil) }
        let version = await keeper.inUse()
        switch version.proof {
        case .sent(let credentials): request.credentials = credentials
        case .azure(let credentials): prove(credentials, in: &request, at: time)
        case .aws: break
        }
        return Version(loaded: version)
    }

    private func prove(_ credentials: AzureCredentials, in request: inout HTTPRequest, at time: WallTime) {
        guard let storage else { return }
        switch credentials.secret {
        case .key(let key):
            let signed = AzureStorage(storage.service, account: credentials.account ?? storage.account)
            SharedKeySigner(storage: signed, key: key).sign(&request, at: time)
        case .signature(let query):
            request.url += (request.url.contains("?") ? "&" : "?") + query
        }
    }

    /// Returns whether the source has credentials other than the refused ones.
    package func renews(_ refused: Version) async -> Bool {
        guard let keeper, let loaded = refused.loaded else { return false }
        return await keeper.renewed(after: loaded) != nil
    }

    /// When a signature ends that was sent, as it says itself.
    package func end(of version: Version) -> String? {
        if case .azure(let credentials)? = version.loaded?.proof { credentials.end } else { nil }
    }
}
