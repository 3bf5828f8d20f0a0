#ifndef FASTCTL_CZLIB_H
#define FASTCTL_CZLIB_H

#include <zlib.h>

// zlib's own entry point is a macro that passes its version and the size of its structure.
static inline int czlib_deflate_init_gzip(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int czlib_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
