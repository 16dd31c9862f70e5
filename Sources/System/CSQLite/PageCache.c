#include "CSQLite.h"

#include <pthread.h>
#include <stdlib.h>

// SQLite's page cache behind a layer that hides one page number from it.
//
// When a B-tree is balanced, sibling pages change their numbers; meanwhile one of them has the number of the page that no
// database uses (the pending byte, https://sqlite.org/fileformat.html#the_lock_byte_page). The cache records it as its largest
// number, far above the last page, and so the next commit searches everything in the cache for pages after the last one: 16,000
// pages, most of them not in the processor's cache. Here the page gets the next free number instead.

enum { pending_byte = 0x40000000 };

struct cache {
  sqlite3_pcache *inner;
  unsigned pending;
  // The number of the pending page in the inner cache; 0 while there is none.
  unsigned alias;
  // The largest page number in the inner cache.
  unsigned largest;
};

static sqlite3_pcache_methods2 inner;

static struct cache *cache(sqlite3_pcache *opaque) { return (struct cache *)opaque; }

static sqlite3_pcache *create(int page_size, int extra_size, int is_purgeable) {
  struct cache *made = malloc(sizeof *made);
  if (!made) return NULL;
  *made = (struct cache){.pending = pending_byte / (unsigned)page_size + 1};
  made->inner = inner.xCreate(page_size, extra_size, is_purgeable);
  if (made->inner) return (sqlite3_pcache *)made;
  free(made);
  return NULL;
}

static void destroy(sqlite3_pcache *opaque) {
  inner.xDestroy(cache(opaque)->inner);
  free(opaque);
}

static sqlite3_pcache_page *fetch(sqlite3_pcache *opaque, unsigned number, int may_create) {
  struct cache *self = cache(opaque);
  if (self->alias && number == self->pending) number = self->alias;
  if (may_create && number > self->largest) self->largest = number;
  return inner.xFetch(self->inner, number, may_create);
}

static void rename_page(sqlite3_pcache *opaque, sqlite3_pcache_page *page, unsigned old, unsigned new) {
  struct cache *self = cache(opaque);
  if (self->alias && old == self->pending) {
    old = self->alias;
    self->alias = 0;
  }
  if (new == self->pending) new = self->alias = self->largest + 1;
  if (new > self->largest) self->largest = new;
  inner.xRekey(self->inner, page, old, new);
}

static void truncate_at(sqlite3_pcache *opaque, unsigned first) {
  struct cache *self = cache(opaque);
  if (first <= self->largest) self->largest = first - 1;
  inner.xTruncate(self->inner, first);
}

static void set_size(sqlite3_pcache *opaque, int pages) { inner.xCachesize(cache(opaque)->inner, pages); }

static int count(sqlite3_pcache *opaque) { return inner.xPagecount(cache(opaque)->inner); }

static void unpin(sqlite3_pcache *opaque, sqlite3_pcache_page *page, int is_discarded) {
  inner.xUnpin(cache(opaque)->inner, page, is_discarded);
}

static void shrink(sqlite3_pcache *opaque) { inner.xShrink(cache(opaque)->inner); }

static sqlite3_pcache_methods2 methods;
static int is_used;

const sqlite3_pcache_methods2 *rr_sqlite3_page_cache(void) { return is_used ? &methods : NULL; }

static void configure(void) {
  // Counting every allocation takes a lock shared by all threads, and nothing reads the count.
  if (sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK) return;
  if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &inner) != SQLITE_OK) return;
  methods = inner;
  methods.xCreate = create;
  methods.xDestroy = destroy;
  methods.xFetch = fetch;
  methods.xRekey = rename_page;
  methods.xTruncate = truncate_at;
  methods.xCachesize = set_size;
  methods.xPagecount = count;
  methods.xUnpin = unpin;
  methods.xShrink = shrink;
  is_used = sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods) == SQLITE_OK;
}

void rr_sqlite3_configure(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, configure);
}
