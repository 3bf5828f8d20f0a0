import ArgumentParsing
import Files
import Glibc
import HTTPService
import Hooks
import JSONText
import TextKit
import YAML

/// An endpoint of the operator: `/v1/api/NAME`, handled by a program.
package struct CustomEndpoint: Sendable, Hashable {
    var methods: [RequestMethod]
    var access: AccessRule
    var program: String

    /// The methods that an endpoint may have.
    static let possible: [RequestMethod] = [.get, .post, .put, .patch, .delete]
}

// MARK: The written form of the file

/// A hook in its written form: its verbs, one action, and an optional condition.
struct WrittenHook: Decodable {
    var on: OneOrMany<Located<String>>
    var require: OneOrMany<String>?
    var fill: YAMLMapping<Located<WrittenValue>>?
    var set: YAMLMapping<Located<WrittenValue>>?
    var drop: OneOrMany<String>?
    var refuse: Located<String>?
    var program: Located<String>?
    var condition: Located<String>?

    enum CodingKeys: String, CodingKey {
        case on, require, set, drop, refuse, program
        case fill = "default"
        case condition = "if"
    }
}

/// A value for a field: text, which may refer to another value, or a constant.
enum WrittenValue: Decodable {
    case text(String)
    case constant([UInt8])

    init(from decoder: any Decoder) throws {
        var writer = JSONWriter()
        if let value = try? Bool(from: decoder) {
            writer.value(value)
        } else if let value = try? Int(from: decoder) {
            writer.value(value)
        } else if let value = try? Double(from: decoder) {
            writer.value(value)
        } else {
            self = .text(try String(from: decoder))
            return
        }
        self = .constant(writer.takeBytes())
    }
}

struct WrittenProgram: Decodable {
    var command: Located<[String]>
    var processes: Located<Int>?
    var timeout: Located<String>?
    var memory: Located<Int>?
}

struct WrittenEndpoint: Decodable {
    var methods: OneOrMany<Located<String>>
    var access: Located<String>
    var program: Located<String>
}

/// A function that creates the error for a position, a message and advice.
typealias SettingsDefect = (Place?, String, String) -> SettingsError

// MARK: Hooks

extension DocumentHooks {
    /// Checks hooks in their written form; `programs` are the names of the existing programs.
    init(
        _ hooks: [Located<WrittenHook>],
        programs: Set<String>,
        _ wrong: SettingsDefect
    ) throws(SettingsError) {
        var all: [DocumentHook] = []
        for hook in hooks { all.append(try DocumentHook(hook, programs: programs, wrong)) }
        self.init(all)
    }
}

extension DocumentHook {
    fileprivate init(
        _ hook: Located<WrittenHook>,
        programs: Set<String>,
        _ wrong: SettingsDefect
    ) throws(SettingsError) {
        let written = hook.value
        var verbs: Set<HookVerb> = []
        for word in written.on.values {
            guard let verb = HookVerb(rawValue: word.value), HookVerb.named.contains(verb) else {
                let names = HookVerb.named.map(\.rawValue).joined(separator: ", ")
                throw wrong(word.place, "'\(word.value)' is not an action on documents", "use \(names)")
            }
            verbs.insert(verb)
        }
        var actions: [Action] = []
        if let fields = written.require { actions.append(.require(fields.values)) }
        if let values = written.fill { actions.append(.fill(try Self.assignments(values, wrong))) }
        if let values = written.set { actions.append(.set(try Self.assignments(values, wrong))) }
        if let fields = written.drop { actions.append(.drop(fields.values)) }
        if let message = written.refuse { actions.append(.refuse(message.value)) }
        if let name = written.program {
            try name.check(isIn: programs, wrong)
            actions.append(.program(name.value))
        }
        guard let action = actions.first, actions.count == 1, !verbs.isEmpty else {
            throw wrong(
                hook.place,
                "a hook has 'on' and one of require, default, set, drop, refuse and program",
                "write a hook for each action"
            )
        }
        switch action {
        case .program: break
        case .require, .refuse:
            if verbs.contains(.read) {
                throw wrong(hook.place, "this hook can't be on read", "use the collection's rule for read")
            }
        case .fill, .set, .drop: break
        }
        switch action {
        case .program, .refuse: break
        case .require, .fill, .set, .drop:
            if verbs.contains(.delete) {
                throw wrong(hook.place, "a deletion changes no fields", "use refuse or program on delete")
            }
        }
        let condition = try written.condition.map { text throws(SettingsError) in
            do throws(HookDefect) {
                return try HookCondition(text.value)
            } catch {
                throw wrong(text.place(of: error), error.message, "write if: \"document.status == 'locked'\"")
            }
        }
        self.init(on: verbs, action, if: condition)
    }

    private static func assignments(
        _ values: YAMLMapping<Located<WrittenValue>>,
        _ wrong: SettingsDefect
    ) throws(SettingsError) -> [Assignment] {
        var all: [Assignment] = []
        for entry in values.entries {
            switch entry.value.value {
            case .constant(let json): all.append(Assignment(entry.key.value, .constant(json)))
            case .text(let text):
                do throws(HookDefect) {
                    all.append(Assignment(entry.key.value, try HookOperand(text)))
                } catch {
                    throw wrong(
                        entry.value.place(of: error),
                        error.message,
                        "write a constant that looks like a name as \"'\(text.replacingQuotes)'\""
                    )
                }
            }
        }
        return all
    }
}

extension Located {
    /// Returns the position of a defect in the value, which is exact unless quotes precede it.
    fileprivate func place(of defect: HookDefect) -> Place {
        Place(line: place.line, column: place.column + defect.column - 1)
    }
}

extension Located<String> {
    fileprivate func check(isIn programs: Set<String>, _ wrong: SettingsDefect) throws(SettingsError) {
        guard programs.contains(value) else {
            let names = programs.sorted().joined(separator: ", ")
            throw wrong(
                place,
                "there is no program '\(value)'",
                names.isEmpty ? "add it to 'programs'" : "add it to 'programs', or use one of \(names)"
            )
        }
    }

    /// Checks that a name can be used without escaping in paths and metrics.
    func checkName(_ wrong: SettingsDefect) throws(SettingsError) {
        let isName = value.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName, !value.isEmpty else {
            throw wrong(place, "'\(value)' is not a name", "use letters, digits, '-' and '_'")
        }
    }
}

extension String {
    fileprivate var replacingQuotes: String { String(map { $0 == "'" || $0 == "\"" ? " " : $0 }) }
}

// MARK: Programs and endpoints

extension HookProgramSettings {
    private static let (mostProcesses, longestTimeout, leastMemory) = (64, Duration.seconds(600), 16 << 20)

    /// Checks a program in its written form; its working folder is the folder of the settings file.
    init(
        _ name: Located<String>,
        _ written: WrittenProgram,
        in folder: String,
        _ wrong: SettingsDefect
    ) throws(SettingsError) {
        try name.checkName(wrong)
        let place = written.command.place
        guard let program = written.command.value.first, !program.isEmpty else {
            throw wrong(place, "the command is empty", "write command: [python3, enrich.py]")
        }
        self.init(written.command.value, in: folder)
        guard Self.isRunnable(program, in: folder) else {
            let place = program.contains("/") ? "'\(program)' is not a program" : "there is no '\(program)' in PATH"
            throw wrong(written.command.place, place, "install it, make it executable, or correct its name")
        }
        if let processes = written.processes {
            guard (1...Self.mostProcesses).contains(processes.value) else {
                throw wrong(
                    processes.place,
                    "a program has from 1 to \(Self.mostProcesses) processes",
                    "write processes: 2"
                )
            }
            self.processes = processes.value
        }
        if let timeout = written.timeout {
            guard let duration = try? Duration(argument: timeout.value), duration > .zero,
                duration <= Self.longestTimeout
            else {
                throw wrong(timeout.place, "'\(timeout.value)' is not a duration of at most 10m", "write timeout: 5s")
            }
            self.timeout = duration
        }
        if let memory = written.memory {
            guard memory.value >= Self.leastMemory else {
                throw wrong(
                    memory.place,
                    "a process needs at least \(Self.leastMemory) bytes",
                    "write memory: 268435456, or leave it out for no limit"
                )
            }
            self.memory = memory.value
        }
    }

    private static func isRunnable(_ program: String, in folder: String) -> Bool {
        if program.hasPrefix("/") { return access(program, X_OK) == 0 }
        if program.contains("/") { return access("\(folder)/\(program)", X_OK) == 0 }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }
}

extension CustomEndpoint {
    /// Checks an endpoint in its written form.
    init(
        _ name: Located<String>,
        _ written: WrittenEndpoint,
        programs: Set<String>,
        _ wrong: SettingsDefect
    ) throws(SettingsError) {
        try name.checkName(wrong)
        try written.program.check(isIn: programs, wrong)
        program = written.program.value
        methods = []
        for word in written.methods.values {
            let method = RequestMethod(rawValue: word.value)
            guard Self.possible.contains(method) else {
                let names = Self.possible.map(\.rawValue).joined(separator: ", ")
                throw wrong(word.place, "an endpoint can't have the method '\(word.value)'", "use \(names)")
            }
            methods.append(method)
        }
        guard !methods.isEmpty else { throw wrong(name.place, "the endpoint has no method", "write methods: [GET]") }
        do throws(HookDefect) {
            access = try AccessRule(written.access.value)
        } catch {
            let place = Place(line: written.access.place.line, column: written.access.place.column + error.column - 1)
            throw wrong(place, error.message, "write access: users")
        }
        guard !access.isAboutDocuments else {
            throw wrong(
                written.access.place,
                "an endpoint has no document for its rule to examine",
                "use everyone, application-key, users, admins, or user.NAME == 'TEXT'"
            )
        }
    }
}
