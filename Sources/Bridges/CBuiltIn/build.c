// The facts of the build, as Scripts/build-facts prints them; make passes them on. Other builds have none.
#include "CBuiltIn.h"

#ifndef FASTCTL_BUILD
#define FASTCTL_BUILD ""
#endif

const char *builtInBuild(void) { return FASTCTL_BUILD; }
