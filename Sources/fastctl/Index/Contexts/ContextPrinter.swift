import ContentFeeding
import EngineCatalog
import ReportRendering
import TextSafety

/// Prints what is known of contexts in the form that was asked for.
struct ContextPrinter {
    private let options: ResultOptions

    init(_ options: ResultOptions) { self.options = options }

    /// Prints a list of them: a table, an array, lines.
    func print(_ contexts: [ResolvedTarget], current: String?) throws {
        var bytes: [UInt8] = []
        switch options.format {
        case .json, .ndjson:
            var list = JSONList(options.format)
            for context in contexts {
                list.append(to: &bytes) { description(context, current: current).append(to: &$0) }
            }
            list.end(in: &bytes)
        case .name: for context in contexts { appendName(context, to: &bytes) }
        case .text where contexts.isEmpty: break
        case .text:
            var table = TextTable(["", "NAME", "PROTECTED", "TARGET"])
            for context in contexts {
                let name = context.context?.name ?? ""
                table.append([
                    name == current ? "*" : "", name, context.isProtected ? "yes" : "no", "\(context.address)",
                ])
            }
            table.append(to: &bytes, width: ProcessEnvironment.width)
        }
        try StandardOutput().drainOrStop(&bytes)
    }

    /// Prints one, and where each setting comes from.
    func show(_ context: ResolvedTarget, isNamed: Bool) throws {
        var bytes: [UInt8] = []
        switch options.format {
        case .json, .ndjson:
            description(context, current: nil).append(to: &bytes)
            bytes.append(0x0A)
        case .name: appendName(context, to: &bytes)
        case .text:
            for (title, value, origin) in rows(of: context, isNamed: isNamed) {
                let padding = String(repeating: " ", count: max(1, 20 - title.count))
                bytes.append(contentsOf: (title + padding + SafeText.escaping("\(value)  (\(origin))") + "\n").utf8)
            }
        }
        try StandardOutput().drainOrStop(&bytes)
    }

    private func appendName(_ context: ResolvedTarget, to bytes: inout [UInt8]) {
        guard let name = context.context?.name else { return }
        _ = options.nameEnd.append(name, to: &bytes)
    }

    private func rows(of target: ResolvedTarget, isNamed: Bool) -> [(String, String, String)] {
        var rows: [(String, String, String)] = []
        if let context = target.context {
            rows.append(("context", context.name, isNamed ? "named here" : "\(context.origin)"))
        }
        for setting in target.allSettings {
            let isAnswer = setting.key == .protected
            let value = isAnswer ? (target.isProtected ? "yes" : "no") : setting.shownValue
            rows.append((setting.key.rawValue, value, "\(setting.origin)"))
        }
        for mapping in target.collections {
            rows.append(("collections", "\(mapping.name): \(mapping.engineName)", "\(mapping.origin)"))
        }
        return rows
    }

    private func description(_ target: ResolvedTarget, current: String?) -> ContextObject {
        ContextObject(
            name: target.context?.name,
            isCurrent: target.context.map { $0.name == current } ?? false,
            target: target.address.description,
            collection: target.collection,
            isProtected: target.isProtected,
            settings: target.allSettings.map { setting in
                ContextObject.Setting(
                    name: setting.key.rawValue,
                    value: setting.shownValue,
                    origin: setting.origin.name,
                    place: setting.origin.place
                )
            },
            collections: target.collections.map { mapping in
                ContextObject.Setting(
                    name: mapping.name,
                    value: mapping.engineName,
                    origin: mapping.origin.name,
                    place: mapping.origin.place
                )
            }
        )
    }
}
