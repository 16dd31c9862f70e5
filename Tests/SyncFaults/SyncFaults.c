#define _GNU_SOURCE
#include "SyncFaults.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static char failing[NAME_MAX + 1];
static int failures;
static char events[1 << 20];
static size_t length;

void rr_watch_files(const char *path) {
  pthread_mutex_lock(&lock);
  folder[0] = 0;
  if (path && !realpath(path, folder)) abort();
  failures = 0;
  length = 0;
  events[0] = 0;
  pthread_mutex_unlock(&lock);
}

void rr_fail_syncs(const char *name, int count) {
  pthread_mutex_lock(&lock);
  snprintf(failing, sizeof failing, "%s", name);
  failures = count;
  pthread_mutex_unlock(&lock);
}

char *rr_copy_file_events(void) {
  pthread_mutex_lock(&lock);
  char *copy = strdup(events);
  pthread_mutex_unlock(&lock);
  if (!copy) abort();
  return copy;
}

/// The name of the file when it is watched. The lock is held.
static const char *watched(int descriptor, char path[static PATH_MAX]) {
  if (!folder[0]) return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, PATH_MAX - 1);
  if (count < 0) return NULL;
  path[count] = 0;
  size_t prefix = strlen(folder);
  return strncmp(path, folder, prefix) == 0 && path[prefix] == '/' ? path + prefix + 1 : NULL;
}

static void note(const char *what, const char *name) {
  char line[NAME_MAX + 16];
  int count = snprintf(line, sizeof line, "%s %s\n", what, name);
  if (length >= (size_t)count && strcmp(events + length - count, line) == 0 && what[0] == 'w') return;
  if (length + count >= sizeof events) abort();
  memcpy(events + length, line, count + 1);
  length += count;
}

static int sync_file(int descriptor, long call) {
  char path[PATH_MAX];
  pthread_mutex_lock(&lock);
  const char *name = watched(descriptor, path);
  int fails = name && failures > 0 && strcmp(name, failing) == 0;
  if (fails) failures--;
  if (name) note(fails ? "failed" : "sync", name);
  pthread_mutex_unlock(&lock);
  if (!fails) return (int)syscall(call, descriptor);
  errno = EIO;
  return -1;
}

// The symbols of the program come before those of the C library, for SQLite too.

int fsync(int descriptor) { return sync_file(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return sync_file(descriptor, SYS_fdatasync); }

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  char path[PATH_MAX];
  pthread_mutex_lock(&lock);
  const char *name = watched(descriptor, path);
  if (name) note("write", name);
  pthread_mutex_unlock(&lock);
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}
