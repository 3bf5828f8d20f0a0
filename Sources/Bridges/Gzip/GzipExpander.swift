import CZlib

/// Expands gzip (RFC 1952), one member after the other, as its bytes come.
public final class GzipExpander {
    /// What came of a piece of input.
    public struct Step {
        /// Bytes of the input that were used.
        public var used: Int
        /// Bytes that came out.
        public var produced: Int
        public var state: State
    }

    public enum State: Equatable {
        /// More input, or more room for the output, is needed.
        case goesOn
        /// The member ended with these bytes; the next input begins another one.
        case memberEnded
        /// Nothing more can be expanded; in zlib's words.
        case damaged(String)
    }

    /// zlib keeps the address of its stream.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Fails if zlib is out of memory.
    public init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard czlib_inflate_init_gzip(stream) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Expands from `input` into `output`, neither of them empty, as far as both go.
    public func expand(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Step {
        let (available, room) = (min(input.count, Int(UInt32.max)), min(output.count, Int(UInt32.max)))
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
        stream.pointee.avail_in = uInt(available)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = uInt(room)
        let status = inflate(stream, Z_NO_FLUSH)
        var step = Step(
            used: available - Int(stream.pointee.avail_in),
            produced: room - Int(stream.pointee.avail_out),
            state: .goesOn
        )
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            inflateReset(stream)
            step.state = .memberEnded
        default:
            let words = stream.pointee.msg.map { String(cString: $0) } ?? "error \(status)"
            step.state = .damaged("gzip decompression failed: \(words)")
        }
        return step
    }
}
