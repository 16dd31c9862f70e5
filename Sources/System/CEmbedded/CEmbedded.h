#ifndef CEMBEDDED_H
#define CEMBEDDED_H

#include <stddef.h>
#include <stdint.h>

/// The first of the `rr_contract_count` bytes of openapi/openapi.json, as of compilation.
const uint8_t *_Nonnull rr_contract(void);
size_t rr_contract_count(void);

/// The bytes of openapi/control-room.json.
const uint8_t *_Nonnull rr_room_contract(void);
size_t rr_room_contract_count(void);

/// A file of the folder `page`.
struct rr_page_file {
  const char *_Nonnull name;
  const uint8_t *_Nonnull bytes;
  size_t count;
};

/// The first of the files; `count` is their number.
const struct rr_page_file *_Nonnull rr_page_files(size_t *_Nonnull count);

/// The files of the folder `page/room`.
const struct rr_page_file *_Nonnull rr_room_files(size_t *_Nonnull count);

#endif
