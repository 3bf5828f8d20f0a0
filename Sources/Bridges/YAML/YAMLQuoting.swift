extension String {
    /// The text as a YAML scalar in double quotes, on one line, which is read back unchanged whatever it contains.
    ///
    /// Characters that an editor shows as nothing, or as an ordinary blank, are escaped.
    public var yamlQuoted: String {
        let scalars = unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"": return "\\\""
            case "\\": return "\\\\"
            case "\n": return "\\n"
            case "\t": return "\\t"
            default:
                guard scalar.needsEscape else { return String(scalar) }
                let digits = String(scalar.value, radix: 16, uppercase: true)
                return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return "\"" + scalars.joined() + "\""
    }
}

extension Unicode.Scalar {
    /// Whether the scalar must not appear in YAML as it is, would end the line, or is invisible.
    fileprivate var needsEscape: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: true
        case .spaceSeparator: self != " "
        default: properties.isDefaultIgnorableCodePoint
        }
    }
}
