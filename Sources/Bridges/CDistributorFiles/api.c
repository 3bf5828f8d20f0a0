// The files of the repository that the content distributor serves.
#include "CDistributorFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api[] = {
#embed "../../../Documentation/Reference/distributor-api.yaml" suffix(, 0)
};

const unsigned char *distributorAPI(void) { return api; }

static const unsigned char script[] = {
#embed "../../Feeding/ConsolePages/Assets/console.mjs" suffix(, 0)
};

const unsigned char *consoleScript(void) { return script; }

static const unsigned char style[] = {
#embed "../../Feeding/ConsolePages/Assets/console.css" suffix(, 0)
};

const unsigned char *consoleStyle(void) { return style; }
