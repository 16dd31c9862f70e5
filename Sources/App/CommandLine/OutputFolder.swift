import Glibc
import Shell
import Store

/// The folder of `--out`. A file is there whole or not at all: it is written beside its place and then moved there. Only
/// what grows while a run goes on grows in its place, so that a process that is killed leaves it behind.
struct OutputFolder {
  /// What could not be written, and why.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let root: String
  /// The folder that a person has named, which this one stands for.
  private let shownRoot: String

  /// Makes the folder where it is missing, and tries whether it can be written to.
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

  /// What an earlier run may have left there is not this one's.
  func remove(_ names: [String]) { for name in names { unsafe unlink(path(name)) } }

  /// The regular files of a folder in this one; none where there is no such folder.
  func files(in name: String) -> [String] {
    (FolderSurvey.names(in: path(name)) ?? []).filter { file in
      var status = stat()
      return unsafe lstat(path("\(name)/\(file)"), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
  }

  /// With the folder that they were in, unless it holds more.
  func remove(_ files: [String], in name: String) {
    guard !files.isEmpty else { return }
    remove(files.map { "\(name)/\($0)" })
    removeFolder(name)
  }

  /// Where it is empty.
  func removeFolder(_ name: String) { _ = unsafe rmdir(path(name)) }

  func write(_ text: String, to name: String) throws(Failure) {
    let (place, partial) = (path(name), path(name) + ".partial")
    if let slash = name.lastIndex(of: "/") { try make(path(String(name[..<slash]))) }
    // A device, a pipe or a link would be gone afterwards.
    var status = stat()
    if unsafe lstat(place, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
      throw Failure(description: "cannot write \(place): it is no regular file; name another one")
    }
    do throws(Failure) {
      try put(Array(text.utf8), into: partial, O_TRUNC, as: place)
      guard unsafe rename(partial, place) == 0 else { throw failure("cannot write", place) }
    } catch {
      // Where there is no room, a half file leaves less.
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

  /// Moves a file of another folder of the same run here.
  func adopt(_ file: String, as name: String) throws(Failure) {
    if let slash = name.lastIndex(of: "/") { try make(path(String(name[..<slash]))) }
    guard unsafe rename(file, path(name)) == 0 else { throw failure("cannot write", path(name)) }
  }

  /// A new folder in this one, which nothing else uses.
  func makeHiddenFolder(_ name: String) throws(Failure) -> OutputFolder {
    var template = Array(path(".\(name)-" + String(repeating: "X", count: 6)).utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw failure("cannot make a folder in", root) }
    return try OutputFolder(
      String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self), for: shownRoot)
  }

  /// With all that it holds; what a link leads to stays.
  func remove() { OutputFolder.remove(root) }

  private static func remove(_ path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in FolderSurvey.names(in: path) ?? [] { remove("\(path)/\(name)") }
    }
    _ = unsafe Glibc.remove(path)
  }

  /// Begins a file that grows while the run goes on.
  func begin(_ name: String) throws(Failure) {
    if let slash = name.lastIndex(of: "/") { try make(path(String(name[..<slash]))) }
    try put([], into: path(name), O_TRUNC, as: path(name))
  }

  func append(_ bytes: [UInt8], to name: String) throws(Failure) {
    try put(bytes, into: path(name), O_APPEND, as: path(name))
  }

  /// What an earlier run has left.
  func discard(_ name: String) throws(Failure) {
    guard unsafe unlink(path(name)) == 0 || errno == ENOENT else {
      throw failure("cannot delete", path(name))
    }
  }

  /// With its parents.
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
