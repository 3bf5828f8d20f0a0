#ifndef CDISTRIBUTORFILES_H
#define CDISTRIBUTORFILES_H

/// The description of the content distributor's API: OpenAPI 3.1 in YAML, then a NUL.
const unsigned char *distributorAPI(void);

#endif
