import ServerSupport
import Support
import Testing

@testable import IngestServer

/// Names that no index takes are refused before anything is stored beside them.
@Suite struct LongNameTests {
  private static let long = String(repeating: "x", count: 8_000)
  private static let longest = String(repeating: "x", count: 255)
  private static let stop = #"{"commands":[["stop"]]}"#

  private func ask(_ server: IngestServer, _ method: String, _ path: String, _ body: String) throws -> TestAnswer {
    let client = try LoopbackClient(port: server.port)
    try client.send(SessionHarness.bytes(method, "/admin/v1" + path, [("Connection", "close")], body: body))
    return try end(client)
  }

  @Test func aDatabaseIsNotLostToALongName() throws {
    guard PostgresCluster.isThere else { return }
    var configuration = ServerConfiguration.loopback(loops: 1)
    configuration.data = try PostgresCluster.shared.get().place()
    let server = try IngestServer(configuration)
    defer { server.stop() }
    try refuses(server)
  }

  @Test func aServerOfItsOwnRefusesThemToo() throws { try withServer { try refuses($0) } }

  private func refuses(_ server: IngestServer) throws {
    let (long, stop) = (Self.long, Self.stop)
    let name = String(repeating: "x", count: 256)
    for (method, path, body, code) in [
      ("PUT", "/devices/p/tags", #"{"tags":["\#(long)"]}"#, "bad_request"),
      ("POST", "/commands", #"{"commands":[["stop"]],"tag":"\#(long)"}"#, "bad_request"),
      ("POST", "/devices/\(name)/commands", stop, "bad_parameter"),
      ("PUT", "/devices/\(name)/tags", #"{"tags":[]}"#, "bad_parameter"),
      ("POST", "/commands?run=\(name)", stop, "bad_parameter"),
      ("PUT", "/faults?run=\(name)", #"{"faults":[]}"#, "bad_parameter"),
    ] {
      let answer = try ask(server, method, path, body)
      #expect(try answer.status == 400 && answer.errorCode == code, "\(method) \(path.prefix(20)): \(answer.text)")
    }
    #expect(try ask(server, "PUT", "/devices/\(Self.longest)/tags", #"{"tags":["\#(Self.longest)"]}"#).status == 200)
    #expect(try ask(server, "POST", "/commands?run=\(Self.longest)", stop).status == 200)
    #expect(try Curl.run([server.url + "/readyz"]).hasSuffix(" 200"))
    #expect(try post(server, "/locations", Uploads.record(1)).status == 200)
  }
}
