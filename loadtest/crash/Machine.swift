import Glibc

/// What a campaign finds on the machine, and leaves there.
enum Machine {
  static func append(_ line: String, to path: String) throws(CampaignError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw CampaignError("writing \(path)", errno) }
    defer { _ = close(descriptor) }
    let bytes = Array((line + "\n").utf8)
    guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
      throw CampaignError("writing \(path)", errno)
    }
  }

  static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

  static var hasStrace: Bool {
    ["/usr/bin/strace", "/usr/local/bin/strace", "/bin/strace"].contains { (path: String) in
      unsafe access(path, X_OK) == 0
    }
  }
}
