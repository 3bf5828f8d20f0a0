import ArgumentParsing
import ContentFeeding

struct CreateCollection: Command {
    static let configuration = CommandConfiguration(
        "create",
        summary: "Make a collection, and the store if there is none.",
        discussion: "A --setting is the engine's own, as number_of_shards=3 or configSet=pages.",
        examples: [
            .init("fastctl collections create WebCollection", "Make one"),
            .init("fastctl collections create web --context prod --setting number_of_shards=3", "Make one elsewhere"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Guards") var protection: ProtectionOptions

    @Option(
        "--setting",
        value: "NAME=VALUE",
        completion: ArgumentCompletion.none,
        help: "A setting in the engine's own words; may be repeated"
    )
    var settings: [SettingArgument]

    @Argument("NAME", completion: ArgumentCompletion.none, help: "The collection's name") var name: String

    func run() async throws -> ExitCode {
        let plan = try target.plan()
        try protection.require(plan, to: "create a collection")
        let collection = plan.collection(name).engineName
        let store = try await plan.create()
        try await store.create(collection, settings: settings.map(\.setting))
        StandardError.say("\(collection) created in \(store.target)")
        return .success
    }
}

/// `NAME=VALUE`, in the engine's own words.
struct SettingArgument: ArgumentValue {
    let setting: CollectionSetting

    init(argument word: String) throws(ArgumentExpectation) {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
            throw ArgumentExpectation("a setting and its value, as number_of_shards=3")
        }
        setting = CollectionSetting(name: String(word[..<equals]), value: String(word[word.index(after: equals)...]))
    }

    var argumentText: String { "\(setting.name)=\(setting.value)" }
}
