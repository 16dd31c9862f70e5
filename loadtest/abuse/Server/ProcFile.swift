import Glibc

/// Small files of the kernel.
enum ProcFile {
  static func lines(_ path: String) -> [Substring] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
  }
}
