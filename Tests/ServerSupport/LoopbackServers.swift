package import IngestServer
package import Support
import TLS

extension ServerConfiguration {
  /// A port of its own on the loopback device; without a folder, everything in memory.
  package static func loopback(data: String = ":memory:", loops: Int? = nil) -> ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.data = data
    if let loops { configuration.loops = loops }
    return configuration
  }
}

/// A server with TLS, its data and an authority of its own in a folder, for as long as the value is there.
package final class DevelopmentServer {
  package let folder: TemporaryFolder
  package let server: IngestServer

  /// The certificate is also for `names`.
  package init(names: [String] = [], _ adjust: (inout ServerConfiguration) -> Void = { _ in }) throws {
    let folder = try TemporaryFolder()
    var configuration = ServerConfiguration.loopback(data: folder.file("data"), loops: 1)
    configuration.tls = TLSSettings(.development(names: names))
    configuration.tls?.listen = "127.0.0.1:0"
    adjust(&configuration)
    self.folder = folder
    server = try IngestServer(configuration)
  }

  deinit { server.stop(within: 0) }

  package var port: UInt16 { server.securePort ?? 0 }
  package var url: String { "https://localhost:\(port)" }
  /// The file that clients are to trust.
  package var authority: String { DevelopmentAuthority.development(in: folder.file("data")).authorityFile }
}
