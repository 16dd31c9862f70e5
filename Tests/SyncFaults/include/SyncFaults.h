// Stands between SQLite and the kernel in the process of the tests: notes what is written and synced below one folder, and
// lets syncs fail on command.
#pragma once

/// From now on files below this folder are watched, and what was noted is forgotten; NULL ends it.
void rr_watch_files(const char *_Nullable folder);
/// The next syncs of the file with this name fail with EIO, so many times.
void rr_fail_syncs(const char *_Nonnull name, int count);
/// What was noted, a line each: `write NAME`, `sync NAME`, `failed NAME`. Writes in a row to one file are one line. The
/// caller frees it.
char *_Nonnull rr_copy_file_events(void);
