/// The text that teaches a shell to complete a program's command lines.
///
/// Each script is a shim: it asks the program itself, by `PROGRAM __complete SHELL INDEX WORDS...`.
public enum CompletionScript {
    public static func bash(_ program: String) -> String { "" }
    public static func zsh(_ program: String) -> String { "" }
    public static func fish(_ program: String) -> String { "" }
}
