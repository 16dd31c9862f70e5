import Glibc

/// Bytes that must outlive the process and that no other user may read, such as the key that signs tokens.
package enum SecretFile {
  /// The bytes of `folder`/`name`; when there is no such file, those of `make`, written for the owner alone and on disk when
  /// this returns. A file that others can read is refused: what it protected is no secret any more.
  package static func read(_ name: String, in folder: String, count: Int, make: () -> [UInt8]) throws(StoreError)
    -> [UInt8]
  {
    let path = folder + "/" + name
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw failure("cannot read", path, errno) }
      let bytes = make()
      try write(bytes, to: path, in: folder)
      return bytes
    }
    defer { _ = Glibc.close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & 0o077 == 0 else {
      throw StoreError(
        code: .folderNotUsable, message: "\(path) can be read by others; chmod 600 it, or delete it to get a new one")
    }
    var bytes = [UInt8](repeating: 0, count: count + 1)
    guard unsafe Glibc.read(descriptor, &bytes, bytes.count) == count else {
      throw StoreError(
        code: .damaged, message: "\(path) must have \(count) bytes; restore it, or delete it to get a new one")
    }
    return Array(bytes.prefix(count))
  }

  /// Under another name first, so that a crash leaves the whole file or none.
  private static func write(_ bytes: [UInt8], to path: String, in folder: String) throws(StoreError) {
    let temporary = path + ".new"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("cannot write", temporary, errno) }
    let isWritten = unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    let code = errno
    _ = Glibc.close(descriptor)
    guard isWritten, unsafe rename(temporary, path) == 0, syncFolder(folder) else {
      throw failure("cannot write", path, code)
    }
  }

  /// A new name in a folder is on disk only when the folder is.
  private static func syncFolder(_ folder: String) -> Bool {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { _ = Glibc.close(descriptor) }
    return fsync(descriptor) == 0
  }

  private static func failure(_ what: String, _ path: String, _ code: Int32) -> StoreError {
    let reason = unsafe String(cString: strerror(code))
    return StoreError(code: .folderNotUsable, message: "\(what) \(path): \(reason)")
  }
}
