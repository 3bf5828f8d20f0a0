// libmicrohttpd for Swift, opened when a server starts. Swift cannot call C variadic functions, which start a daemon
// and ask for what it knows.
#ifndef FASTCTL_CHTTPDAEMON_H
#define FASTCTL_CHTTPDAEMON_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if MHD_VERSION < 0x00097500
#error "libmicrohttpd 0.9.75 or newer is needed"
#endif

struct http_daemon_options {
    const char *address;          // Numeric IPv4 or IPv6 address.
    uint16_t port;                // 0 lets the kernel choose.
    unsigned threads;             // Event loops.
    unsigned connection_limit;    // Connections held at once.
    unsigned connections_per_ip;  // 0 means no such limit.
    unsigned idle_seconds;        // A connection that is silent this long is closed.
    size_t memory_per_connection; // Bounds the request line and headers together.
    const char *certificate_pem;  // NULL means plain HTTP.
    const char *private_key_pem;
    void *context;                // Handed to every callback.
    MHD_AccessHandlerCallback on_request;
    MHD_RequestCompletedCallback on_completed;
    MHD_NotifyConnectionCallback on_connection;
};

// Starts a daemon, or returns NULL and writes the reason.
struct MHD_Daemon *http_daemon_start(const struct http_daemon_options *options, char *reason, size_t reason_size);
// The port that the daemon listens on.
uint16_t http_daemon_port(struct MHD_Daemon *daemon);
// Closes the listening socket; connections stay.
void http_daemon_stop_listening(struct MHD_Daemon *daemon);
// Ends the event loops. No connection may be suspended.
void http_daemon_stop(struct MHD_Daemon *daemon);

void http_connection_suspend(struct MHD_Connection *connection);
void http_connection_resume(struct MHD_Connection *connection);
// The socket of a connection, or -1.
int http_connection_socket(struct MHD_Connection *connection);
// Writes the numeric address of the client; false if it is unknown.
bool http_connection_peer(struct MHD_Connection *connection, char *out, unsigned size);
// What the connection callback stored for this connection.
void *http_connection_context(struct MHD_Connection *connection);
// Passes each header field, or each item of the query, to the callback.
void http_connection_values(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIteratorN each, void *context
);
// Whether the client has closed its side of a socket, which cannot be seen on one that this side reads no longer, or
// the connection broke.
bool http_peer_has_left(int socket, bool is_read_to_its_end);

// A response whose bytes are copied, or stay where they are for ever.
struct MHD_Response *http_response_create(const void *bytes, size_t count, bool is_copied);
// A response whose bytes are asked for.
struct MHD_Response *http_response_create_stream(
    MHD_ContentReaderCallback next, void *context, MHD_ContentReaderFreeCallback release
);
// Gives the whole pages of a buffer back to the system: they are zero when they are next used. For buffers in memory of
// the process's own, whose contents nothing needs, and of which at most the first `used` bytes were written since then.
void http_buffer_give_back(void *buffer, size_t size, size_t used);

// What became of a chunk.
enum http_chunk {
    HTTP_CHUNK_SENT,
    HTTP_CHUNK_KEPT,   // Nothing was sent.
    HTTP_CHUNK_BROKEN, // Only a part was sent: the connection is of no more use.
};
// Sends a chunk of a body of HTTP/1.1, if the socket has room for all of it. Only between two chunks of the library's,
// while the connection is suspended, and without TLS.
enum http_chunk http_socket_send_chunk(int socket, const void *bytes, size_t count);

bool http_response_add(struct MHD_Response *response, const char *name, const char *value);
enum MHD_Result http_response_queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);
void http_response_release(struct MHD_Response *response);

#endif
