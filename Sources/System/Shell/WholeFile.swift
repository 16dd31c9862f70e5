internal import Glibc

/// Writes a file atomically: after a crash it is complete, or as it was before.
package enum WholeFile {
  /// The file that could not be written, and the reason.
  package struct Failure: Error {
    package let path: String
    /// The errno(3).
    package let code: Int32

    package var reason: String { unsafe String(cString: strerror(code)) }
  }

  /// Writes to a temporary name first; content and name are on disk when this returns.
  package static func write(_ bytes: [UInt8], to path: String, mode: UInt32) throws(Failure) {
    let temporary = path + ".new"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw Failure(path: temporary, code: errno) }
    // Part of a secret is not left behind, nor would it be on a full disk.
    func failure(_ code: Int32) -> Failure {
      unsafe unlink(temporary)
      return Failure(path: path, code: code)
    }
    // A file left by an earlier crash keeps its mode when it is opened.
    let isWritten = fchmod(descriptor, mode) == 0 && put(bytes, into: descriptor) && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    guard isWritten else { throw failure(code) }
    guard unsafe rename(temporary, path) == 0 else { throw failure(errno) }
    guard syncFolder(of: path) else { throw Failure(path: path, code: errno) }
  }

  /// Returns false when not all bytes could be written; errno tells why.
  package static func put(_ bytes: [UInt8], into descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Syncs the folder: a new name is on disk only when its folder is.
  private static func syncFolder(of path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
