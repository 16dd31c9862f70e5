import Glibc
import Support

/// The processes that a process has begun.
enum ChildrenOf {
  static func process(_ process: ChildProcess) -> [pid_t] {
    let descriptor = unsafe open("/proc/\(process.id)/task/\(process.id)/children", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = max(0, unsafe read(descriptor, &bytes, bytes.count))
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
  }
}
