import CZlib

/// Compresses whole messages as gzip (RFC 1952).
package enum GzipCompressor {
    /// The compression level, which favors speed, because compression only reduces network traffic.
    private static let level: Int32 = 1

    /// Returns the compressed message; returns `nil` if zlib is out of memory or the result would not be smaller.
    package static func compress(_ message: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard !message.isEmpty, message.count <= Int(UInt32.max), czlib_deflate_init_gzip(&stream, level) == Z_OK else {
            return nil
        }
        defer { deflateEnd(&stream) }
        // A result that does not fit into a buffer as large as the message is not worth sending.
        let output = [UInt8](unsafeUninitializedCapacity: message.count) { buffer, count in
            message.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = uInt(input.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = uInt(buffer.count)
                count = deflate(&stream, Z_FINISH) == Z_STREAM_END ? buffer.count - Int(stream.avail_out) : 0
            }
        }
        return output.isEmpty ? nil : output
    }
}

/// Expands gzip data (RFC 1952) as it arrives, one member after another.
package final class GzipExpander {
    /// The result for a piece of input.
    package struct Step {
        /// The number of input bytes that were used.
        package var used: Int
        /// The number of output bytes.
        package var produced: Int
        package var state: State
    }

    package enum State: Equatable {
        /// More input, or more room for the output, is needed.
        case goesOn
        /// The member ended with these bytes; the next input begins another one.
        case memberEnded
        /// Nothing more can be expanded; the value is zlib's message.
        case damaged(String)
    }

    /// The stream, at a fixed address, because zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Creates an expander; `nil` if zlib is out of memory.
    package init?() {
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

    /// Expands from `input` into `output`, which must not be empty, until one of them is exhausted.
    package func expand(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Step {
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
