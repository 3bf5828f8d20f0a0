public import CProcessor

extension Array {
    /// Asks the processor to prefetch an element that is needed soon, without waiting for it.
    ///
    /// It only changes the time that a later access takes; an index out of bounds does nothing.
    @inlinable public func prefetch(_ index: Int) {
        unsafe withUnsafeBufferPointer { elements in
            guard elements.indices.contains(index), let start = elements.baseAddress else { return }
            unsafe processor_prefetch(start + index)
        }
    }
}
