public import CProcessor

extension Array {
    /// Asks the processor to bring an element near that is needed soon, and does not wait for it.
    ///
    /// It changes nothing but the time that the element takes then; an index that is none of the array's does nothing.
    @inlinable public func prefetch(_ index: Int) {
        unsafe withUnsafeBufferPointer { elements in
            guard elements.indices.contains(index), let start = elements.baseAddress else { return }
            unsafe processor_prefetch(start + index)
        }
    }
}
