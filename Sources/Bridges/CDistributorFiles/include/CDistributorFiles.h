#ifndef CDISTRIBUTORFILES_H
#define CDISTRIBUTORFILES_H

/// The description of the content distributor's API: OpenAPI 3.1 in YAML, then a NUL.
const unsigned char *distributorAPI(void);

/// The script and the style sheet of the console's pages, each with a NUL after it.
const unsigned char *consoleScript(void);
const unsigned char *consoleStyle(void);

#endif
