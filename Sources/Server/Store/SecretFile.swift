import Glibc
import Shell

/// Bytes that must outlive the process and that no other user may read, such as the key that signs tokens.
package enum SecretFile {
  /// Returns the bytes of `folder`/`name`; when there is no such file, those of `make`, written for the owner only and synced
  /// before this returns. A file that others can read is refused: its content is no longer secret.
  package static func read(_ name: String, in folder: String, count: Int, make: () -> [UInt8]) throws(StoreError)
    -> [UInt8]
  {
    let path = folder + "/" + name
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw failure("cannot read", path, errno) }
      let bytes = make()
      do throws(WholeFile.Failure) { try WholeFile.write(bytes, to: path, mode: 0o600) } catch {
        throw failure("cannot write", error.path, error.code)
      }
      return bytes
    }
    defer { _ = Glibc.close(descriptor) }
    try refuseShared(descriptor, path)
    var bytes = [UInt8](repeating: 0, count: count + 1)
    guard unsafe Glibc.read(descriptor, &bytes, bytes.count) == count else {
      throw StoreError(
        code: .damaged, message: "\(path) must have \(count) bytes; restore it, or delete it to get a new one")
    }
    return Array(bytes.prefix(count))
  }

  /// Returns the bytes of a file, at most `bytesMax`; nil when there is none. Refuses a file that others can read.
  package static func read(_ name: String, in folder: String, bytesMax: Int) throws(StoreError) -> [UInt8]? {
    let path = folder + "/" + name
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("cannot read", path, errno)
    }
    defer { _ = Glibc.close(descriptor) }
    try refuseShared(descriptor, path)
    var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    guard (0...bytesMax).contains(count) else {
      throw StoreError(code: .damaged, message: "\(path) must have at most \(bytesMax) bytes")
    }
    return Array(bytes.prefix(count))
  }

  private static func refuseShared(_ descriptor: Int32, _ path: String) throws(StoreError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & 0o077 == 0 else {
      throw StoreError(
        code: .folderNotUsable, message: "\(path) can be read by others; chmod 600 it, or delete it to get a new one")
    }
  }

  private static func failure(_ what: String, _ path: String, _ code: Int32) -> StoreError {
    let reason = unsafe String(cString: strerror(code))
    return StoreError(code: .folderNotUsable, message: "\(what) \(path): \(reason)")
  }
}
