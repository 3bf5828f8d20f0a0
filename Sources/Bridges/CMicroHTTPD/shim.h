// Without `link`: CHTTPDaemon opens the library when a server starts.
#pragma once
#include <microhttpd.h>
