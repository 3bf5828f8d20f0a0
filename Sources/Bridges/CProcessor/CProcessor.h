#ifndef FASTCTL_CPROCESSOR_H
#define FASTCTL_CPROCESSOR_H

// Asks the processor to bring the memory at an address near, and goes on without it: Swift has no word for that. Any
// address will do; one that is not there does nothing.
static inline void processor_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
