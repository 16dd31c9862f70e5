// Stands before glibc's allocator in whatever program links it, counts, and passes on. Defining these functions is a
// way that glibc provides for (The GNU C Library Reference Manual, "Replacing malloc").

#include "AllocationCounter.h"

#include <malloc.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local unsigned long count;

unsigned long allocation_count(void) { return count; }

unsigned long allocated_bytes(void) { return mallinfo2().uordblks; }

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count++;
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  count++;
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  count++;
  *block = __libc_memalign(alignment, size);
  return *block == NULL ? 12 : 0;  // ENOMEM
}
