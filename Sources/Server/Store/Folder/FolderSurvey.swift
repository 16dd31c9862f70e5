import Glibc

/// What is told about a data folder before it is opened.
package enum FolderSurvey {
  /// Why the folder's key shows that a store was here which is not here any more; nil when nothing is missing.
  package static func lostStore(in folder: String) -> String? {
    guard unsafe access(folder + "/token.key", F_OK) == 0 else { return nil }
    let path = DataFolder.databasePath(in: folder)
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return "\(path) is missing" }
    return status.st_size == 0 ? "\(path) is empty" : nil
  }

  /// What is missing where a store should be read; nil when there is one.
  static func missingStore(in folder: String) -> String? {
    if unsafe access(DataFolder.databasePath(in: folder), F_OK) == 0 { return nil }
    return unsafe access(folder, F_OK) == 0 ? "\(folder) has no store.db" : "there is no folder \(folder)"
  }

  /// What a folder holds, in no order; nil when it cannot be read.
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

  /// Puts the journal aside, with what lies beside it, in the place of one that was put aside earlier. Gives its new name; nil
  /// when there is none or it cannot be moved. For the holder of the folder's lock.
  package static func setJournalAside(in folder: String) -> String? {
    let path = DataFolder.journalPath(in: folder)
    let aside = path + ".damaged"
    for suffix in ["-wal", "-shm"] where unsafe rename(path + suffix, aside + suffix) != 0 {
      _ = unsafe unlink(aside + suffix)
    }
    return unsafe rename(path, aside) == 0 ? aside : nil
  }
}
