import CZlib

/// Compresses whole messages as gzip (RFC 1952).
public enum GzipCompressor {
    /// The compression level: fast, because only network traffic is saved.
    private static let level: Int32 = 1

    /// Returns the message compressed; returns `nil` if zlib is out of memory or the result would not be smaller.
    public static func compress(_ message: [UInt8]) -> [UInt8]? {
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
