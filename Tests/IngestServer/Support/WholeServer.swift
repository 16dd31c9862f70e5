@testable import IngestServer

extension ServerConfiguration {
  /// A port of its own on the loopback device; without a folder, everything in memory.
  static func loopback(data: String = ":memory:", loops: Int? = nil) -> ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.data = data
    if let loops { configuration.loops = loops }
    return configuration
  }
}

/// A whole server, with sockets and a journal in memory, for as long as `body` takes.
func withServer(_ body: (IngestServer) throws -> Void) throws {
  let server = try IngestServer(.loopback(loops: 2))
  defer { server.stop() }
  try body(server)
}
