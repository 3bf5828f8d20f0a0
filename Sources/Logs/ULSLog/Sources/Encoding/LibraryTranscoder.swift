import Glibc

/// Turns a code page into UTF-8 by the C library's tables.
///
/// A class, because the library's converter has a state and must be closed once.
@safe final class LibraryTranscoder: TextTranscoder {
    /// Room for what one call gives, in bytes.
    private static let outputRoom = 64 << 10
    /// What may be kept of a character that a piece cuts, in bytes; no encoding needs more.
    private static let maximumRest = 16

    private let converter: iconv_t
    private(set) var undecodable = 0
    /// The beginning of a character that the last piece cut.
    private var rest: [UInt8] = []

    init?(_ name: String) {
        let converter = unsafe iconv_open("UTF-8", name)
        // The library says "no" by -1.
        guard let converter = unsafe converter, Int(bitPattern: converter) != -1 else { return nil }
        unsafe self.converter = unsafe converter
    }

    deinit { unsafe iconv_close(converter) }

    static func knows(_ name: String) -> Bool { LibraryTranscoder(name) != nil }

    func transcode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        var input = rest
        input.reserveCapacity(rest.count + bytes.count)
        for index in bytes.indices { input.append(bytes[index]) }
        let taken = convert(&input, into: &output)
        rest = Array(input[taken...])
    }

    func finish(into output: inout [UInt8]) {
        if !rest.isEmpty { replace(in: &output) }
        rest = []
    }

    /// Converts as much as makes whole characters, and returns how many bytes that was.
    private func convert(_ input: inout [UInt8], into output: inout [UInt8]) -> Int {
        var taken = 0
        var room = [UInt8](repeating: 0, count: Self.outputRoom)
        while taken < input.count {
            let step = call(&input, from: taken, room: &room)
            output += room[..<step.produced]
            taken += step.consumed
            switch step.failure {
            case nil: return taken
            case EINVAL where input.count - taken <= Self.maximumRest: return taken
            case E2BIG where step.consumed + step.produced > 0: continue
            default:
                replace(in: &output)
                taken += 1
            }
        }
        return taken
    }

    private func replace(in output: inout [UInt8]) {
        undecodable += 1
        output += replacementCharacter
    }

    private func call(
        _ input: inout [UInt8],
        from start: Int,
        room: inout [UInt8]
    ) -> (consumed: Int, produced: Int, failure: CInt?) {
        var inputLeft = input.count - start
        var outputLeft = room.count
        let result = unsafe input.withUnsafeMutableBytes { source in
            unsafe room.withUnsafeMutableBytes { target in
                var from = unsafe source.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
                var to = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self)
                return unsafe iconv(converter, &from, &inputLeft, &to, &outputLeft)
            }
        }
        let failure: CInt? = result == -1 ? errno : nil
        return (input.count - start - inputLeft, room.count - outputLeft, failure)
    }
}
