import Glibc

/// The folder of a store, or of a server whose store is a database: made private on first use, and locked by one process at a
/// time.
package final class DataFolder: Sendable {
  let path: String
  private let lock: Int32

  static func databasePath(in folder: String) -> String { folder + "/store.db" }
  static func journalPath(in folder: String) -> String { folder + "/journal.db" }

  /// Creates the folder if needed and locks it; the kernel releases the lock however the process ends. `flag` is the flag that
  /// names the folder.
  package init(path: String, flag: String = "--data") throws(StoreError) {
    self.path = path
    do throws(StoreError) { lock = try DataFolder.take(path) } catch {
      throw StoreError(code: error.code, message: "\(error.message), or choose another folder with \(flag)")
    }
    writeOwner()
  }

  private static func take(_ path: String) throws(StoreError) -> Int32 {
    try DataFolder.create(path)
    try DataFolder.refuseForeignFiles(in: path)
    let lockPath = path + "/lock"
    let descriptor = unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DataFolder.failure("cannot write into the data folder \(path)", errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let owner = DataFolder.readOwner(descriptor)
      _ = Glibc.close(descriptor)
      throw StoreError(
        code: .folderInUse,
        message: "the data folder \(path) is in use by process \(owner); stop it")
    }
    return descriptor
  }

  /// A child that this process has just forked shares the lock until it executes its program (flock(2)): closing the descriptor
  /// would not release it.
  deinit {
    _ = flock(lock, LOCK_UN)
    _ = Glibc.close(lock)
  }

  /// Whether the folder has a write-ahead log that is not empty.
  var hasLog: Bool {
    var facts = stat()
    return unsafe stat(DataFolder.databasePath(in: path) + "-wal", &facts) == 0 && facts.st_size > 0
  }

  /// Prefixes of the files that a server creates here; lost+found comes with a new file system. Names that begin with a dot are
  /// ignored.
  private static let stems = ["store.db", "journal.db", "token.key", "identity.keys", "tls", "lock", "lost+found"]

  /// Accepts a folder with other files only when it already has a store.
  private static func refuseForeignFiles(in path: String) throws(StoreError) {
    let names = FolderSurvey.names(in: path) ?? []
    let others = names.filter { name in !name.hasPrefix(".") && !stems.contains { name.hasPrefix($0) } }.sorted()
    guard !others.isEmpty, !names.contains("store.db") else { return }
    let listed = others.prefix(3).joined(separator: ", ") + (others.count > 3 ? ", …" : "")
    throw StoreError(
      code: .folderNotUsable,
      message: "the folder \(path) contains other files (\(listed)) and no store of this program; use an empty one")
  }

  private static func create(_ path: String) throws(StoreError) {
    var parent = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      parent += part
      if unsafe mkdir(parent, 0o700) != 0 && errno != EEXIST {
        throw failure("cannot make the data folder \(parent)", errno)
      }
      parent += "/"
    }
  }

  private static func failure(_ what: String, _ code: Int32) -> StoreError {
    let reason = unsafe String(cString: strerror(code))
    let user = geteuid()
    let remedy =
      switch code {
      // In a container the user's name means nothing outside, the number does.
      case EACCES, EPERM: "change its owner to the user of this process: chown -R \(user):\(getegid()) on the host"
      case ENOTDIR: "a part of this path is a file: remove it"
      case EROFS: "its file system is mounted read-only: mount a volume there"
      default: "give user \(user) access"
      }
    return StoreError(code: .folderNotUsable, message: "\(what): \(reason); \(remedy)")
  }

  private static func readOwner(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    let digits = bytes.prefix(max(0, count)).prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    return digits.isEmpty ? "unknown" : String(decoding: digits, as: UTF8.self)
  }

  /// Writes the owner's process number for people and for the message above; a failure does not matter.
  private func writeOwner() {
    let text = Array("\(getpid())\n".utf8)
    guard ftruncate(lock, 0) == 0 else { return }
    _ = unsafe pwrite(lock, text, text.count, 0)
  }
}

/// Inspects a data folder before it is opened.
package enum FolderSurvey {
  /// Returns why a store seems to have been lost, when the folder has its key but no store; nil when nothing is missing.
  package static func lostStore(in folder: String) -> String? {
    guard unsafe access(folder + "/token.key", F_OK) == 0 else { return nil }
    let path = DataFolder.databasePath(in: folder)
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return "\(path) is missing" }
    return status.st_size == 0 ? "\(path) is empty" : nil
  }

  /// Returns why the key that signs tokens seems to have been lost, when the folder has a store and no key.
  package static func lostKey(in folder: String) -> String? {
    let path = folder + "/token.key"
    var status = stat()
    guard unsafe access(path, F_OK) != 0, unsafe stat(DataFolder.databasePath(in: folder), &status) == 0,
      status.st_size > 0
    else { return nil }
    return "\(path) is missing"
  }

  /// Returns what is missing when a store is to be read; nil when there is one.
  static func missingStore(in folder: String) -> String? {
    if unsafe access(DataFolder.databasePath(in: folder), F_OK) == 0 { return nil }
    return unsafe access(folder, F_OK) == 0 ? "\(folder) has no store.db" : "there is no folder \(folder)"
  }

  /// Returns the names in a folder, in no particular order; nil when it cannot be read.
  package static func names(in path: String) -> [String]? {
    guard let folder = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Renames the journal and its companion files, replacing an earlier renamed one. Returns the new name; nil when there is no
  /// journal or it cannot be renamed. The caller must hold the folder's lock.
  package static func setJournalAside(in folder: String) -> String? {
    let path = DataFolder.journalPath(in: folder)
    let aside = path + ".damaged"
    for suffix in ["-wal", "-shm"] where unsafe rename(path + suffix, aside + suffix) != 0 {
      _ = unsafe unlink(aside + suffix)
    }
    return unsafe rename(path, aside) == 0 ? aside : nil
  }
}

/// The folder in which SQLite puts its temporary files (https://sqlite.org/tempfiles.html#temporary_file_storage_locations).
enum SpillFolder {
  /// Whether SQLite will find a usable folder.
  static var exists: Bool {
    let variables: [String] = ["SQLITE_TMPDIR", "TMPDIR"]
    let named = variables.compactMap { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
    return (named + ["/var/tmp", "/usr/tmp", "/tmp", "."]).contains { unsafe access($0, W_OK | X_OK) == 0 }
  }
}
