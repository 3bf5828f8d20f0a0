public import ContentFeeding

extension TargetAddress {
    /// The target when no option names one: `FASTCTL_TARGET`, else the embedded store under `XDG_DATA_HOME`, else under
    /// `HOME`.
    public static func standard(environment: [String: String]) throws(EngineError) -> TargetAddress {
        if let target = environment["FASTCTL_TARGET"], !target.isEmpty { return try TargetAddress(target) }
        // The XDG specification says that a relative path counts as not set.
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return TargetAddress(.sqlite(path: data + "/fastctl/store.sqlite"))
        }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw EngineError(
                .missingTarget,
                "no target is given, and without HOME there is no place for the embedded store",
                advice: "name one: --target sqlite:PATH"
            )
        }
        return TargetAddress(.sqlite(path: home + "/.local/share/fastctl/store.sqlite"))
    }
}
