import Glibc
import Support

/// `openssl s_server` with a certificate of the test's own for `localhost`. It answers a GET with a page.
final class SecureServer {
  struct Failure: Error {
    let what: String
  }

  let port: UInt16
  /// The certificate, which is its own authority.
  let certificate: String
  var key: String { folder + "/key.pem" }
  private let folder: String
  private let child: SpokenChild

  init() throws {
    let folder = "/tmp/transport-\(getpid())-\(UInt64.random(in: .min ... .max))"
    guard unsafe mkdir(folder, 0o700) == 0 else { throw Failure(what: "no folder") }
    let (key, certificate) = (folder + "/key.pem", folder + "/certificate.pem")
    let maker = try ChildProcess([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
    ])
    guard maker.exitCode() == 0 else { throw Failure(what: "no certificate") }
    child = try SpokenChild([
      "openssl", "s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www",
    ])
    self.folder = folder
    self.certificate = certificate
    // It says where it listens: `ACCEPT 127.0.0.1:PORT`.
    guard let port = UInt16(try child.line(beginningWith: "ACCEPT 127.0.0.1:")) else { throw Failure(what: "no port") }
    self.port = port
  }

  deinit {
    for name in ["/key.pem", "/certificate.pem", ""] { _ = unsafe remove(folder + name) }
  }
}
