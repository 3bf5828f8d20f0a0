/// Something about the inputs that their owner should know, and that is no error.
enum LogInputNote: Hashable, Sendable {
    /// Files that were given more than once are read once; one of them, and how many.
    case givenTwice(example: String, count: Int)
    /// Files in a folder that are no logs by their names.
    case passedOver(folder: String, example: String, count: Int)
    /// Folders in a folder are not searched.
    case foldersNotSearched(folder: String, example: String, count: Int)
    /// A link that leads nowhere, a name that is no UTF-8, or a file that went away after its folder was listed.
    case vanished(String)
}

extension LogInputNote: CustomStringConvertible {
    var description: String {
        switch self {
        case .givenTwice(let example, 1): "'\(example)' was given more than once and is read once"
        case .givenTwice(let example, let count):
            "\(count) files such as '\(example)' were given more than once and are read once"
        case .passedOver(let folder, let example, 1):
            "'\(example)' in '\(folder)' is no log by its name and is not read"
        case .passedOver(let folder, let example, let count):
            "\(count) files in '\(folder)' are no logs by their names and are not read, such as '\(example)'"
        case .foldersNotSearched(let folder, let example, 1):
            "the folder '\(example)' in '\(folder)' is not searched; give it too if it holds logs"
        case .foldersNotSearched(let folder, let example, let count):
            "\(count) folders in '\(folder)' are not searched, such as '\(example)'; give them too if they hold logs"
        case .vanished(let path): "'\(path)' cannot be found by that name and is not read"
        }
    }
}
