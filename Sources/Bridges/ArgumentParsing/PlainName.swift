/// The rule for names that a shell may complete: each is itself in every shell, inside quotes and outside.
///
/// Such names come from servers, and from files that strangers write. Shells differ in how they quote what they
/// insert, so a name that would need quotes is not offered at all.
public enum PlainName {
    /// The characters a name may have, for messages.
    public static let expectation = "use letters, digits and '._-/:@+', no '-' first"

    /// Returns whether a name has only letters, digits and `._-/:@+`, and does not look like an option.
    public static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !name.isDashed && name.unicodeScalars.allSatisfy(isPlain)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber: true
        default: "._-/:@+".unicodeScalars.contains(scalar)
        }
    }
}
