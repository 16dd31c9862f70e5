#ifndef CEMBEDDED_H
#define CEMBEDDED_H

#include <stddef.h>
#include <stdint.h>

/// The first of the `rr_contract_count` bytes of openapi/openapi.json, as the file was when this was compiled.
const uint8_t *_Nonnull rr_contract(void);
size_t rr_contract_count(void);

#endif
