/// Takes the bytes of a buffer and leaves it empty: what a long report is written with, a piece at a time.
public typealias BufferDrain = (inout [UInt8]) throws -> Void

/// When a buffer is worth draining.
let drainThreshold = 64 << 10
