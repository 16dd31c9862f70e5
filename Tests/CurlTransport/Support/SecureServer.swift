import Glibc

/// `openssl s_server` with a certificate of the test's own for `localhost`. It answers a GET with a page.
final class SecureServer {
  struct Failure: Error {
    let what: String
  }

  let port: UInt16
  /// The certificate, which is its own authority.
  let certificate: String
  private let folder: String
  private let child: pid_t
  private let output: Int32

  init() throws {
    let folder = "/tmp/transport-\(getpid())-\(UInt64.random(in: .min ... .max))"
    guard unsafe mkdir(folder, 0o700) == 0 else { throw Failure(what: "no folder") }
    let (key, certificate) = (folder + "/key.pem", folder + "/certificate.pem")
    let (maker, silence) = try SecureServer.spawn([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
    ])
    var status: Int32 = 0
    _ = unsafe waitpid(maker, &status, 0)
    close(silence)
    guard status == 0 else { throw Failure(what: "no certificate") }
    (child, output) = try SecureServer.spawn([
      "openssl", "s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www",
    ])
    self.folder = folder
    self.certificate = certificate
    port = try SecureServer.readPort(output)
  }

  deinit {
    kill(child, SIGKILL)
    _ = waitpid(child, nil, 0)
    close(output)
    for name in ["/key.pem", "/certificate.pem", ""] { _ = unsafe remove(folder + name) }
  }

  /// The line `ACCEPT 127.0.0.1:PORT` says where it listens.
  private static func readPort(_ output: Int32) throws -> UInt16 {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(output, &byte, 1) == 1 {
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        continue
      }
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("ACCEPT"), let port = text.split(separator: ":").last.flatMap({ UInt16($0) }) { return port }
      line = []
    }
    throw Failure(what: "openssl does not listen")
  }

  /// The child, and the end of a pipe that shows its output.
  private static func spawn(_ words: [String]) throws -> (pid_t, Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0, fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 else { throw Failure(what: "no pipe") }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addclose(&actions, ends[1])
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let code = unsafe posix_spawnp(&child, words[0], &actions, nil, arguments, environ)
    close(ends[1])
    guard code == 0 else { throw Failure(what: "no \(words[0])") }
    return (child, ends[0])
  }
}
