#include "CEmbedded.h"

// A file becomes part of the executable, which so can serve it wherever it lies. C23 has the directive (§6.10.4), clang since
// version 19 in every language mode; the compiler notes the file as a dependency, so that a change of it is compiled.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t contract[] = {
#embed "../../../openapi/openapi.json"
};

const uint8_t *rr_contract(void) { return contract; }

size_t rr_contract_count(void) { return sizeof contract; }
