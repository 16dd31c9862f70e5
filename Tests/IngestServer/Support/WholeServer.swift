import HTTP1
import ServerSupport
import Support

@testable import IngestServer

/// A whole server, with sockets and a journal in memory, for as long as `body` takes.
func withServer(_ body: (IngestServer) throws -> Void) throws {
  let server = try IngestServer(.loopback(loops: 2))
  defer { server.stop() }
  try body(server)
}

/// Sends a POST on a connection of its own, which `end` reads the answer from.
func begin(
  _ server: IngestServer, _ target: String, _ body: String, _ fields: [(String, String)] = []
) throws -> LoopbackClient {
  let client = try LoopbackClient(port: server.port)
  try client.send(SessionHarness.bytes("POST", target, fields + [("Connection", "close")], body: body))
  return client
}

func end(_ client: LoopbackClient) throws -> TestAnswer {
  var bytes = Array(try client.receiveToEnd().text.utf8)
  guard let answer = try TestAnswer.take(from: &bytes, to: .post) else { throw NoAnswer(request: "POST") }
  return answer
}

func post(
  _ server: IngestServer, _ target: String, _ body: String, _ fields: [(String, String)] = []
) throws -> TestAnswer { try end(try begin(server, target, body, fields)) }
