import ServerSupport

@testable import IngestServer

/// A whole server, with sockets and a journal in memory, for as long as `body` takes.
func withServer(_ body: (IngestServer) throws -> Void) throws {
  let server = try IngestServer(.loopback(loops: 2))
  defer { server.stop() }
  try body(server)
}
