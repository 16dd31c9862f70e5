internal import Glibc

/// A file that exists but cannot be read.
package enum UnreadableFile {
  /// Returns why, as in "permission denied"; nil when there is no such file, or it can be read.
  package static func reason(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      return [ENOENT, ENOTDIR].contains(code) ? nil : unsafe String(cString: strerror(code)).lowercased()
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : nil
  }
}
