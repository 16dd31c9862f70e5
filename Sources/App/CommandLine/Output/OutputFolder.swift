import Glibc

/// The folder of `--out`. A file is there whole or not at all: it is written beside its place and then moved there. Only
/// what grows while a run goes on grows in its place, so that a process that is killed leaves it behind.
struct OutputFolder {
  /// What could not be written, and why.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let root: String

  /// Makes the folder where it is missing, and tries whether it can be written to.
  init(_ path: String) throws(Failure) {
    root = path
    try OutputFolder.make(path)
    let trial = path + "/.rollingroad-trial"
    let descriptor = unsafe open(trial, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0o644)
    guard descriptor >= 0 else { throw OutputFolder.failure("cannot write into", path) }
    close(descriptor)
    unsafe unlink(trial)
  }

  func path(_ name: String) -> String { root + "/" + name }

  /// Names stay inside the folder.
  func check(_ name: String) throws(Failure) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.isEmpty, parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
      throw Failure(description: "outputs: '\(name)' is no file inside --out; write a name like report.html")
    }
  }

  func write(_ text: String, to name: String) throws(Failure) {
    let (place, partial) = (path(name), path(name) + ".partial")
    if let slash = name.lastIndex(of: "/") { try OutputFolder.make(path(String(name[..<slash]))) }
    try put(Array(text.utf8), into: partial, O_TRUNC)
    guard unsafe rename(partial, place) == 0 else { throw OutputFolder.failure("cannot write", place) }
  }

  private func put(_ content: [UInt8], into partial: String, _ how: Int32) throws(Failure) {
    let descriptor = unsafe open(partial, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0o644)
    guard descriptor >= 0 else { throw OutputFolder.failure("cannot write", partial) }
    var bytes = content[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = OutputFolder.failure("cannot write", partial)
        close(descriptor)
        throw failure
      }
      bytes = bytes.dropFirst(count)
    }
    guard close(descriptor) == 0 else { throw OutputFolder.failure("cannot write", partial) }
  }

  /// Begins a file that grows while the run goes on.
  func begin(_ name: String) throws(Failure) {
    if let slash = name.lastIndex(of: "/") { try OutputFolder.make(path(String(name[..<slash]))) }
    try put([], into: path(name), O_TRUNC)
  }

  func append(_ bytes: [UInt8], to name: String) throws(Failure) {
    try put(bytes, into: path(name), O_APPEND)
  }

  /// With its parents.
  private static func make(_ path: String) throws(Failure) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += (made.isEmpty || made == "/" ? "" : "/") + part
      if unsafe mkdir(made, 0o755) != 0 && errno != EEXIST { throw failure("cannot make the folder", made) }
    }
  }

  private static func failure(_ what: String, _ path: String) -> Failure {
    let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    return Failure(description: "\(what) \(path): \(reason)")
  }
}
