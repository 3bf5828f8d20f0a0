// Opens a shared library when a function of it is first called, instead of when the program starts.
//
// libcurl and Hyperscan bring thirty libraries with them, and loading those takes a command that needs none of them longer
// than everything else it does.
#ifndef FASTCTL_LATE_LIBRARY_H
#define FASTCTL_LATE_LIBRARY_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// Returns a function of the library; without it, ends the program as the system's loader would.
static inline void *late_function(const char *library, const char *name) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *function = handle ? dlsym(handle, name) : NULL;
    if (function) return function;
    fprintf(stderr, "error while loading shared libraries: %s\n", dlerror());
    exit(127);
}

// A function of `LATE_LIBRARY`, with the type that its header declares. It is looked up once; two threads that look it up at
// the same time find the same. A thread that finds it known also sees the library that another has loaded.
#define LATE(name) \
    ({ \
        static void *entry; \
        void *function = __atomic_load_n(&entry, __ATOMIC_ACQUIRE); \
        if (!function) { \
            function = late_function(LATE_LIBRARY, #name); \
            __atomic_store_n(&entry, function, __ATOMIC_RELEASE); \
        } \
        (__typeof__(&(name)))function; \
    })

#endif
