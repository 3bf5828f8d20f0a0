/// Exceptions in a text of any form: rows of a log, tickets, error pages.
///
/// A chain is recognized by a type with a message (`System.IO.FileNotFoundException: …`, `COMException (0x80070005): …`),
/// by what SharePoint writes before an exception (`Error=`, `Exception:`, `ExceptionType: '…'`), or by frames alone.
/// `--->` and exceptions told within a message lead inwards; `--- End of inner exception stack trace ---` leads
/// outwards. A part of a word is never taken: a text that is cut has fewer types and frames, not other ones.
///
/// The time is linear in the text, whatever it holds.
public enum ExceptionText {
    /// The text that is read, in bytes; the rest is not looked at.
    public static let maximumBytes = 1 << 20
    /// The chains, the exceptions of a chain and the frames of a chain that are kept.
    public static let (maximumChains, maximumLinks, maximumFrames) = (64, 32, 512)
    /// The part of a message that is kept, in bytes.
    public static let maximumMessage = 4096

    /// Returns the chains of a text, in its order.
    public static func chains(in text: String) -> [ExceptionChain] {
        var bytes = Array(text.utf8.prefix(maximumBytes))
        if bytes.count == maximumBytes {
            // The last word may be a part of one.
            while let last = bytes.last, !last.isBlank, bytes.count > maximumBytes - 4096 { bytes.removeLast() }
        }
        var scan = ExceptionScan(bytes)
        return scan.chains()
    }
}

/// One pass over a text.
private struct ExceptionScan {
    private let text: TextBytes
    private var position = 0
    private var assembly: ChainAssembly

    init(_ bytes: [UInt8]) {
        text = TextBytes(bytes)
        assembly = ChainAssembly(bytes)
    }

    mutating func chains() -> [ExceptionChain] {
        while position < text.count, !assembly.isFull {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "-"): readDashes()
            case UInt8(ascii: "\n"):
                position += 1
                assembly.endLine(at: position - 1, startsRow: text.startsRow(at: position))
            case UInt8(ascii: "\t"):
                assembly.endMessageLine(at: position)
                position += 1
            case 0xC3 where text.matches("à", at: position): readFrameWord("à".utf8.count)
            default:
                if !byte.isWordStart {
                    position += 1
                } else if let end = text.wordEnd(from: position) {
                    readWord(position..<end)
                } else {
                    position = text.count
                }
            }
        }
        return assembly.finish(at: text.count)
    }

    /// Reads `--->`, which leads to an inner exception, or `--- End of … ---`, which ends one.
    private mutating func readDashes() {
        let start = position
        while position < text.count, text[position] == UInt8(ascii: "-") { position += 1 }
        guard position - start >= 3, position < text.count else { return }
        if text[position] == UInt8(ascii: ">") {
            position += 1
            readArrow(from: start)
        } else if let marker = text.endMarker(from: position) {
            assembly.endTrace(isInner: marker.isInner, start..<marker.end)
            position = marker.end
        }
    }

    private mutating func readArrow(from arrow: Int) {
        var place = text.skippingBlanks(from: position)
        let isRepetition = text.matches("(Inner Exception #", at: place)
        if isRepetition {
            while place < text.count, text[place] != UInt8(ascii: ")"), text[place] != UInt8(ascii: "\n") { place += 1 }
            place = text.skippingBlanks(from: min(place + 1, text.count))
        }
        guard place < text.count, text[place].isWordStart, let end = text.wordEnd(from: place),
            let header = text.header(place..<end, isExpected: true)
        else { return }
        assembly.addInner(header, from: arrow, isRepetition: isRepetition)
        position = header.end
    }

    private mutating func readWord(_ word: Range<Int>) {
        if text.isFrameWord(word) { return readFrameWord(word.count) }
        if let header = text.header(word, isExpected: false) {
            assembly.add(header, isBracketed: text.isByte(UInt8(ascii: "["), at: word.lowerBound - 1))
            position = header.end
            return
        }
        if let opening = text.opening(word) {
            assembly.open(opening)
            position = opening.end
            return
        }
        if text.isTraceTitle(word) { assembly.endMessage(at: word.lowerBound) }
        if let frame = text.pageFrame(word) {
            assembly.addFrame(frame, isLoose: false)
            position = frame.end
            return
        }
        position = word.upperBound
    }

    /// Reads the frame behind `at`, `bei` or `à`, if there is one.
    private mutating func readFrameWord(_ length: Int) {
        let start = position
        position += length
        guard start == 0 || text[start - 1].isBlank || text[start - 1] == UInt8(ascii: "'") else { return }
        guard let frame = text.frame(from: position, startingAt: start) else { return }
        guard assembly.addFrame(frame, isLoose: true) else { return }
        position = frame.end
    }
}
