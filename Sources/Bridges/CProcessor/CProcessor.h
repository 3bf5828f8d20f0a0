#ifndef FASTCTL_CPROCESSOR_H
#define FASTCTL_CPROCESSOR_H

// Asks the processor to prefetch the memory at an address, without waiting for it: Swift has no way to do that. Any
// address will do; one that does not exist does nothing.
static inline void processor_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
