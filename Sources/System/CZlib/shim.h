// zlib's initializers are macros, which Swift cannot call. A window of 15 bits plus 16 means the gzip format.
#pragma once
#include <limits.h>
#include <stddef.h>
#include <zlib.h>

/// Returns the maximum size that rr_gzip writes for a content of this length.
static inline size_t rr_gzip_bound(size_t length) { return compressBound(length) + 64; }

/// Compresses the content to one gzip member; returns the number of bytes written, 0 when the capacity or the memory does not
/// suffice.
static inline size_t rr_gzip(const void *content, size_t length, void *file, size_t capacity) {
  z_stream stream = {0};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (Bytef *)content;
  stream.next_out = (Bytef *)file;
  int result = Z_OK;
  // zlib counts its input in an unsigned int.
  while (result == Z_OK) {
    size_t in = length - stream.total_in, out = capacity - stream.total_out;
    stream.avail_in = in > UINT_MAX ? UINT_MAX : (uInt)in;
    stream.avail_out = out > UINT_MAX ? UINT_MAX : (uInt)out;
    result = deflate(&stream, in > UINT_MAX ? Z_NO_FLUSH : Z_FINISH);
  }
  size_t written = stream.total_out;
  return deflateEnd(&stream) == Z_OK && result == Z_STREAM_END ? written : 0;
}

static inline int rr_inflate_init(z_stream *stream) { return inflateInit2(stream, 15 + 16); }
