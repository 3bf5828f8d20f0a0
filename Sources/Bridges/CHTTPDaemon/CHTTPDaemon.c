#define _GNU_SOURCE
#include "CHTTPDaemon.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../CLateLibrary/LateLibrary.h"

#define LATE_LIBRARY "libmicrohttpd.so.12"

// Binds and listens here rather than in the library, so that errno can name the failure.
static int open_listener(const char *address, uint16_t port, char *reason, size_t size) {
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *info = NULL;
    if (getaddrinfo(address, service, &hints, &info) != 0) {
        snprintf(reason, size, "%s is not a numeric address", address);
        return -1;
    }
    int listener = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int yes = 1;
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(listener, info->ai_addr, info->ai_addrlen) != 0 || listen(listener, 1024) != 0) {
        snprintf(reason, size, "cannot listen on %s port %u: %s", address, port, strerror(errno));
        if (listener >= 0) close(listener);
        listener = -1;
    }
    freeaddrinfo(info);
    return listener;
}

// The library's own complaints are about single connections; the caller records what matters itself.
static void discard_log(void *context, const char *format, va_list arguments) {
    (void)context, (void)format, (void)arguments;
}

// Leaves paths and queries as they were sent: a decoded %2F must not look like a separator to the router.
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context, (void)connection;
    return strlen(text);
}

static struct MHD_Daemon *start_on(int listener, const struct http_daemon_options *o) {
    struct MHD_OptionItem items[16];
    size_t count = 0;
#define OPTION(name, number, pointer) items[count++] = (struct MHD_OptionItem){name, (intptr_t)(number), pointer}
    OPTION(MHD_OPTION_CONNECTION_LIMIT, o->connection_limit, NULL);
    OPTION(MHD_OPTION_CONNECTION_TIMEOUT, o->idle_seconds, NULL);
    OPTION(MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->memory_per_connection, NULL);
    // At 1 the library refuses a missing Host and blanks in targets, in HTML; at 0 it leaves that to RequestHead.
    OPTION(MHD_OPTION_STRICT_FOR_CLIENT, 0, NULL);
    OPTION(MHD_OPTION_LISTEN_SOCKET, listener, NULL);
    if (o->connections_per_ip > 0) OPTION(MHD_OPTION_PER_IP_CONNECTION_LIMIT, o->connections_per_ip, NULL);
    if (o->threads > 1) OPTION(MHD_OPTION_THREAD_POOL_SIZE, o->threads, NULL);
    if (o->certificate_pem) {
        OPTION(MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)o->certificate_pem);
        OPTION(MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)o->private_key_pem);
        OPTION(MHD_OPTION_HTTPS_PRIORITIES, 0, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2");
    }
    OPTION(MHD_OPTION_END, 0, NULL);
#undef OPTION

    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    if (o->certificate_pem) flags |= MHD_USE_TLS;
    // The logger comes first: what the library thinks of the other options would go to the standard error otherwise.
    return LATE(MHD_start_daemon)(
        flags, 0, NULL, NULL, o->on_request, o->context,
        MHD_OPTION_EXTERNAL_LOGGER, discard_log, NULL,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, o->on_completed, o->context,
        MHD_OPTION_NOTIFY_CONNECTION, o->on_connection, o->context,
        MHD_OPTION_ARRAY, items, MHD_OPTION_END
    );
}

struct MHD_Daemon *http_daemon_start(const struct http_daemon_options *o, char *reason, size_t reason_size) {
    int listener = open_listener(o->address, o->port, reason, reason_size);
    if (listener < 0) return NULL;

    // The library's threads inherit this mask: signals are for the program's own threads.
    sigset_t all, before;
    sigfillset(&all);
    int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct MHD_Daemon *daemon = start_on(listener, o);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!daemon) {
        const char *refused = o->certificate_pem ? "certificate, its key or the limits" : "limits";
        snprintf(reason, reason_size, "the HTTP library refuses the %s", refused);
        close(listener);
    }
    return daemon;
}

uint16_t http_daemon_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = LATE(MHD_get_daemon_info)(daemon, MHD_DAEMON_INFO_LISTEN_FD);
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (!info || getsockname(info->listen_fd, (struct sockaddr *)&address, &length) != 0) return 0;
    return ntohs(
        address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                      : ((struct sockaddr_in *)&address)->sin_port
    );
}

void http_daemon_stop_listening(struct MHD_Daemon *daemon) {
    int listener = LATE(MHD_quiesce_daemon)(daemon);
    if (listener >= 0) close(listener);
}

void http_daemon_stop(struct MHD_Daemon *daemon) { LATE(MHD_stop_daemon)(daemon); }

void http_connection_suspend(struct MHD_Connection *connection) { LATE(MHD_suspend_connection)(connection); }

void http_connection_resume(struct MHD_Connection *connection) { LATE(MHD_resume_connection)(connection); }

int http_connection_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        LATE(MHD_get_connection_info)(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

bool http_connection_peer(struct MHD_Connection *connection, char *out, unsigned size) {
    const union MHD_ConnectionInfo *info =
        LATE(MHD_get_connection_info)(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (!info || !info->client_addr) return false;
    const struct sockaddr *peer = info->client_addr;
    socklen_t length = peer->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    return getnameinfo(peer, length, out, size, NULL, 0, NI_NUMERICHOST) == 0;
}

void *http_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        LATE(MHD_get_connection_info)(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

void http_connection_values(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIteratorN each, void *context
) {
    LATE(MHD_get_connection_values_n)(connection, kind, each, context);
}

bool http_peer_has_left(int socket, bool is_read_to_its_end) {
    struct pollfd state = {.fd = socket, .events = is_read_to_its_end ? 0 : POLLRDHUP};
    return poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

struct MHD_Response *http_response_create(const void *bytes, size_t count, bool is_copied) {
    enum MHD_ResponseMemoryMode mode = is_copied ? MHD_RESPMEM_MUST_COPY : MHD_RESPMEM_PERSISTENT;
    return LATE(MHD_create_response_from_buffer)(count, (void *)bytes, mode);
}

struct MHD_Response *http_response_create_stream(
    MHD_ContentReaderCallback next, void *context, MHD_ContentReaderFreeCallback release
) {
    // Only a client of HTTP/1.0 gets its bytes through this block; chunks are written where the connection has its own.
    return LATE(MHD_create_response_from_callback)(MHD_SIZE_UNKNOWN, 1024, next, context, release);
}

enum http_chunk http_socket_send_chunk(int socket, const void *bytes, size_t count) {
    uint32_t memory[SK_MEMINFO_VARS];
    socklen_t length = sizeof memory;
    int failure = getsockopt(socket, SOL_SOCKET, SO_MEMINFO, memory, &length);
    if (failure || length < sizeof memory) return HTTP_CHUNK_KEPT;
    // The system counts its own overhead as well, which is at most as much again for all but the shortest.
    size_t needed = 2 * count + 4096;
    if (memory[SK_MEMINFO_WMEM_QUEUED] + needed > memory[SK_MEMINFO_SNDBUF]) return HTTP_CHUNK_KEPT;
    char size[24];
    int digits = snprintf(size, sizeof size, "%zx\r\n", count);
    struct iovec parts[] = {{size, (size_t)digits}, {(void *)bytes, count}, {"\r\n", 2}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return HTTP_CHUNK_KEPT;
    return (size_t)sent == (size_t)digits + count + 2 ? HTTP_CHUNK_SENT : HTTP_CHUNK_BROKEN;
}

void http_buffer_give_back(void *buffer, size_t size, size_t used) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)buffer + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)buffer + size) / page * page;
    // Without success, the memory only stays in use.
    if (start < end && (uintptr_t)buffer + used > start) madvise((void *)start, end - start, MADV_DONTNEED);
}

bool http_response_add(struct MHD_Response *response, const char *name, const char *value) {
    return LATE(MHD_add_response_header)(response, name, value) == MHD_YES;
}

enum MHD_Result http_response_queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
    return LATE(MHD_queue_response)(connection, status, response);
}

void http_response_release(struct MHD_Response *response) { LATE(MHD_destroy_response)(response); }
