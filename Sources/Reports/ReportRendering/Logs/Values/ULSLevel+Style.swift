import ULSLog

extension ULSLevel {
    /// The worse, the louder; what is neither bad nor important stays plain.
    var style: TerminalStyle {
        switch rank {
        case ..<3: .boldRed
        case 3: .boldYellow
        case 4: .yellow
        case 5: .cyan
        default: .plain
        }
    }
}
