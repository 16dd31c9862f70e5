import Glibc

/// A folder of its own, gone with the value and whatever is in it.
package final class TemporaryFolder: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let path: String

  /// In the folder for temporary files, unless another one is named.
  package init(in parent: String? = nil) throws(Failure) {
    let parent = unsafe parent ?? getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array((parent + "/rollingroad-" + String(repeating: "X", count: 6)).utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw TemporaryFolder.failure("making a folder in \(parent)")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { TemporaryFolder.remove(path) }

  package func file(_ name: String) -> String { path + "/" + name }

  package func write(_ bytes: [UInt8], to name: String) throws(Failure) {
    let descriptor = unsafe open(file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw TemporaryFolder.failure("writing \(file(name))") }
    defer { _ = close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw TemporaryFolder.failure("writing \(file(name))") }
      rest = rest.dropFirst(count)
    }
  }

  package func read(_ name: String) throws(Failure) -> [UInt8] {
    let descriptor = unsafe open(file(name), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TemporaryFolder.failure("reading \(file(name))") }
    defer { _ = close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      guard count >= 0 else { throw TemporaryFolder.failure("reading \(file(name))") }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }

  private static func failure(_ what: String) -> Failure {
    Failure(description: unsafe "\(what): \(String(cString: strerror(errno)))")
  }

  /// What a folder in it holds, in no order; nothing when it is not there.
  package func names(in name: String) -> [String] { TemporaryFolder.names(file(name)) }

  private static func names(_ path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { _ = unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// A folder, with what is in it.
  package static func remove(_ path: String) {
    for name in names(path) {
      let inner = path + "/" + name
      if unsafe unlink(inner) != 0 { remove(inner) }
    }
    _ = unsafe rmdir(path)
  }
}
