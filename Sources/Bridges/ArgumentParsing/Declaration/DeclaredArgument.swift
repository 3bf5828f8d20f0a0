/// A property of a command that takes words from the command line.
protocol DeclaredArgument: Sendable {
    var definition: ArgumentDefinition { get }
    var isGiven: Bool { get }
    /// Takes one value, or none, given under a name; a positional is given its value name.
    func take(_ value: String?, as name: String) throws(ArgumentExpectation)
}

/// A property of a command that holds further arguments.
protocol DeclaredGroup {
    var title: String { get }
    var members: any OptionSetting { get }
}

/// The arguments and groups that a command or group declares, in the order of their declaration.
struct Declarations {
    struct Group {
        var title: String
        var declarations: Declarations
    }

    let source: any ArgumentDeclarations
    var own: [any DeclaredArgument] = []
    var groups: [Group] = []

    init(of source: any ArgumentDeclarations) {
        self.source = source
        for child in Mirror(reflecting: source).children {
            if let argument = child.value as? any DeclaredArgument {
                own.append(argument)
            } else if let group = child.value as? any DeclaredGroup {
                groups.append(Group(title: group.title, declarations: Declarations(of: group.members)))
            }
        }
    }

    /// Those of the groups included.
    var all: [any DeclaredArgument] { own + groups.flatMap(\.declarations.all) }
    var visible: [ArgumentDefinition] { all.map(\.definition).filter(\.isVisible) }
    var exclusive: [[String]] { type(of: source).exclusive + groups.flatMap(\.declarations.exclusive) }

    /// Groups before what holds them, so that a command may rely on its groups.
    func validate() throws {
        for group in groups { try group.declarations.validate() }
        try source.validate()
    }
}
