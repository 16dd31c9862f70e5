import Glibc

/// Where a campaign keeps its data folders; removed when nobody needs it any more.
final class WorkFolder {
  let path: String

  /// `parent` is a folder for temporary files.
  init(in parent: String = "/tmp") throws(CampaignError) {
    var template = Array((parent + "/rollingroad-crash-" + String(repeating: "X", count: 6)).utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw CampaignError("making a folder in \(parent)", errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { WorkFolder.remove(path) }

  static func remove(_ path: String) {
    guard let folder = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      let inner = path + "/" + name
      if unsafe unlink(inner) != 0 { remove(inner) }
    }
    _ = unsafe closedir(folder)
    _ = unsafe rmdir(path)
  }

  static func write(_ bytes: [UInt8], to path: String) throws(CampaignError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CampaignError("writing \(path)", errno) }
    defer { _ = close(descriptor) }
    try write(bytes, descriptor, path)
  }

  static func append(_ line: String, to path: String) throws(CampaignError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw CampaignError("writing \(path)", errno) }
    defer { _ = close(descriptor) }
    try write(Array((line + "\n").utf8), descriptor, path)
  }

  private static func write(_ bytes: [UInt8], _ descriptor: Int32, _ path: String) throws(CampaignError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw CampaignError("writing \(path)", errno) }
      rest = rest.dropFirst(count)
    }
  }

  static func read(_ path: String) throws(CampaignError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CampaignError("reading \(path)", errno) }
    defer { _ = close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      guard count >= 0 else { throw CampaignError("reading \(path)", errno) }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }

  static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

  static var hasStrace: Bool {
    ["/usr/bin/strace", "/usr/local/bin/strace", "/bin/strace"].contains { (path: String) in
      unsafe access(path, X_OK) == 0
    }
  }
}
