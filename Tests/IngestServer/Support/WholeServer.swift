@testable import IngestServer

/// A whole server, with sockets and a journal in memory, for as long as `body` takes.
func withServer(_ body: (IngestServer) throws -> Void) throws {
  var configuration = ServerConfiguration()
  configuration.listen = "127.0.0.1:0"
  configuration.data = ":memory:"
  configuration.loops = 2
  let server = try IngestServer(configuration)
  defer { server.stop() }
  try body(server)
}
