/// What to do next, as a sentence that can follow what happened.
enum FailureAdvice {
    static let address = "check the address of the target"
    static let name = "check the name in the address, and how this machine looks names up"
    static let running = "check that the engine runs there, and the host and port of the address"
    static let proxy = "check --proxy, or the variables http_proxy, https_proxy and no_proxy"
    static let pin = "make sure that it is the right server before you change --pin"
    static let certificateFiles = "--ca-file, --client-cert and --client-key must be PEM files that you can read"
    static let https = "does this port speak HTTPS? else write +http:// into the address"
    static let clientCertificate = "does the server want a certificate of yours? --client-cert FILE --client-key FILE"
    static let log = "look whether the engine is in health, and what its log says"
    static let plainText = log + "; does this port want HTTPS? then write +https:// into the address"
    static let time = "look whether the engine is overloaded, or give it more time: --request-timeout"
    static let less = "the engine, or a proxy before it, must allow more, or ask for less at a time"
    static let rightTarget = "is this the right kind of target? check its scheme, its port and its path"
    static let collections = "see what there is: fastctl collections list"
    static let blocked = "make room on its disks, or take the block away; then it goes on"
    static let later = "try again later, or with fewer requests at a time"
    static let request = "it is the request that the engine refuses: see its own words"

    /// What is wrong with the certificate decides who can repair it.
    static func certificate(_ words: String) -> String {
        if words.contains("expired") { return "the server needs a new certificate" }
        if words.contains("not yet valid") { return "check the clocks of both machines" }
        if words.contains("subject name") || words.contains("mismatch") || words.contains("does not match") {
            return "use the name in the address that the certificate was made for"
        }
        return "name the authority that signed it: --ca-file FILE"
    }

    static func credentials(_ source: CredentialSource?) -> String {
        source?.advice ?? "give them in a file: --credentials-file FILE (\(CredentialText.forms))"
    }

    static func rights(_ source: CredentialSource?) -> String {
        source == nil ? credentials(nil) : "ask for the right to do this, or use other credentials"
    }

    static func redirect(_ reply: EngineReply) -> String {
        reply.location == nil ? rightTarget : "redirects are not followed: use that address, if you trust it"
    }
}
