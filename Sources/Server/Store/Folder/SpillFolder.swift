import Glibc

/// Where SQLite puts files without a name (https://sqlite.org/tempfiles.html#temporary_file_storage_locations).
enum SpillFolder {
  /// Whether SQLite will find one.
  static var exists: Bool {
    let variables: [String] = ["SQLITE_TMPDIR", "TMPDIR"]
    let named = variables.compactMap { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
    return (named + ["/var/tmp", "/usr/tmp", "/tmp", "."]).contains { unsafe access($0, W_OK | X_OK) == 0 }
  }
}
