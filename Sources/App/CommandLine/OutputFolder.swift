import Glibc
import Shell
import Store

/// The folder of `--out`. Files are written atomically, by renaming a temporary file. Only files that grow during a run
/// are appended in place, so that they survive a killed process.
struct OutputFolder {
  /// A failed write and its reason.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let root: String
  /// The folder that the user named, shown in messages.
  private let shownRoot: String

  /// Creates the folder if necessary, and checks that it is writable.
  init(_ path: String, for shown: String? = nil) throws(Failure) {
    root = path
    shownRoot = shown ?? path
    try make(path)
    let trial = path + "/.rollingroad-trial"
    let descriptor = unsafe open(trial, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0o644)
    guard descriptor >= 0 else { throw failure("cannot write into", path) }
    close(descriptor)
    unsafe unlink(trial)
  }

  func path(_ name: String) -> String { root + "/" + name }

  /// Deletes files that an earlier run may have left.
  func remove(_ names: [String]) { for name in names { unsafe unlink(path(name)) } }

  /// The regular files of a subfolder; none when it does not exist.
  func files(in name: String) -> [String] {
    (FolderSurvey.names(in: path(name)) ?? []).filter { file in
      var status = stat()
      return unsafe lstat(path("\(name)/\(file)"), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
  }

  /// Deletes files, and their folder if it is then empty.
  func remove(_ files: [String], in name: String) {
    guard !files.isEmpty else { return }
    remove(files.map { "\(name)/\($0)" })
    removeFolder(name)
  }

  /// Deletes the folder if it is empty.
  func removeFolder(_ name: String) { _ = unsafe rmdir(path(name)) }

  func write(_ text: String, to name: String) throws(Failure) {
    let (place, partial) = (path(name), path(name) + ".partial")
    if let slash = name.lastIndex(of: "/") { try make(path(String(name[..<slash]))) }
    // Renaming would replace a device, a pipe or a link.
    var status = stat()
    if unsafe lstat(place, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
      throw Failure(description: "cannot write \(place): it is no regular file; name another one")
    }
    do throws(Failure) {
      try put(Array(text.utf8), into: partial, O_TRUNC, as: place)
      guard unsafe rename(partial, place) == 0 else { throw failure("cannot write", place) }
    } catch {
      // A partial file would occupy space on a full disk.
      unsafe unlink(partial)
      throw error
    }
  }

  private func put(_ content: [UInt8], into file: String, _ how: Int32, as place: String) throws(Failure) {
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0o644)
    guard descriptor >= 0 else { throw failure("cannot write", place) }
    guard WholeFile.put(content, into: descriptor) else {
      let failure = failure("cannot write", place)
      close(descriptor)
      throw failure
    }
    guard close(descriptor) == 0 else { throw failure("cannot write", place) }
  }

  /// Moves a file from another folder of the same run here.
  func adopt(_ file: String, as name: String) throws(Failure) {
    if let slash = name.lastIndex(of: "/") { try make(path(String(name[..<slash]))) }
    guard unsafe rename(file, path(name)) == 0 else { throw failure("cannot write", path(name)) }
  }

  /// Creates a new subfolder with a unique name.
  func makeHiddenFolder(_ name: String) throws(Failure) -> OutputFolder {
    var template = Array(path(".\(name)-" + String(repeating: "X", count: 6)).utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw failure("cannot make a folder in", root) }
    return try OutputFolder(
      String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self), for: shownRoot)
  }

  /// Deletes the folders of this name that a killed run has left.
  func removeHiddenFolders(_ name: String) {
    for entry in FolderSurvey.names(in: root) ?? [] where entry.hasPrefix(".\(name)-") {
      OutputFolder.remove(path(entry))
    }
  }

  /// Deletes the folder recursively; targets of links stay.
  func remove() { OutputFolder.remove(root) }

  private static func remove(_ path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in FolderSurvey.names(in: path) ?? [] { remove("\(path)/\(name)") }
    }
    _ = unsafe Glibc.remove(path)
  }

  /// Starts a file that grows during the run.
  func begin(_ name: String) throws(Failure) {
    if let slash = name.lastIndex(of: "/") { try make(path(String(name[..<slash]))) }
    try put([], into: path(name), O_TRUNC, as: path(name))
  }

  func append(_ bytes: [UInt8], to name: String) throws(Failure) {
    try put(bytes, into: path(name), O_APPEND, as: path(name))
  }

  /// Deletes a file that an earlier run has left.
  func discard(_ name: String) throws(Failure) {
    guard unsafe unlink(path(name)) == 0 || errno == ENOENT else {
      throw failure("cannot delete", path(name))
    }
  }

  /// Creates a folder and its parents.
  private func make(_ path: String) throws(Failure) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += (made.isEmpty || made == "/" ? "" : "/") + part
      if unsafe mkdir(made, 0o755) != 0 && errno != EEXIST { throw failure("cannot make the folder", made) }
    }
  }

  private func failure(_ what: String, _ path: String) -> Failure {
    let code = errno
    let shown = path.hasPrefix(root) ? shownRoot + path.dropFirst(root.count) : path
    return Failure(description: "\(what) \(shown): \(Descriptor.reason(code))")
  }
}
