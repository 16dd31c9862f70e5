import Glibc
import Network
import ServerSupport
import Support
import Testing

@testable import IngestServer

/// The same bodies as in process, over a real socket, and with curl.
@Suite struct SocketTests {
  private func server() throws -> IngestServer {
    try IngestServer(.loopback(loops: 2))
  }

  @Test func everyBodyShapeOverASocket() throws {
    let server = try server()
    defer { server.stop() }
    for (index, shape) in BodyShapes.all.enumerated() {
      let client = try LoopbackClient(port: server.port)
      let fields = [("X-Run-Id", "\(index)"), ("Connection", "close")]
      try client.send(SessionHarness.bytes("POST", "/locations", fields, body: shape.body))
      let answer = try client.receiveToEnd()
      #expect(answer.ending == .closed && answer.text.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(shape.name)")
      #expect(answer.text.hasSuffix(#"{"accepted":\#(shape.count),"duplicate":0,"quarantined":0}"#), "\(shape.name)")
    }
  }

  @Test func everyBodyShapeWithCurl() throws {
    let server = try server()
    defer { server.stop() }
    for (index, shape) in BodyShapes.all.enumerated() {
      let answer = try Curl.run([
        "-H", "Content-Type: application/json", "--data-binary", shape.body, "\(server.url)/r/\(index)/locations",
      ])
      #expect(answer == #"{"accepted":\#(shape.count),"duplicate":0,"quarantined":0}"# + " 200", "\(shape.name)")
    }
  }

  /// Above a mebibyte curl waits for leave (`Expect: 100-continue`) before it sends the body.
  @Test func curlSendsALargeBodyAfterItsLeave() throws {
    let server = try server()
    defer { server.stop() }
    let body =
      "[" + String(repeating: #"{"lat":1,"lng":2},"#, count: 8_000) + String(repeating: " ", count: 1_200_000)
      + #"{"lat":1,"lng":2}]"#
    let path = try CurlBody(body)
    let answer = try Curl.run(["-X", "PUT", "--data-binary", "@\(path.name)", "\(server.url)/ingest/truck"])
    #expect(answer == #"{"accepted":1,"duplicate":8000,"quarantined":0} 200"#)
    let chunked = try Curl.run([
      "-H", "Transfer-Encoding: chunked", "--data-binary", "@\(path.name)", "\(server.url)/locations",
    ])
    #expect(chunked.hasSuffix(" 200"))
  }

  private func answer(
    of server: IngestServer, _ method: String, _ path: String, _ body: String? = nil
  ) throws -> String {
    let client = try LoopbackClient(port: server.port)
    try client.send(SessionHarness.bytes(method, path, [("Connection", "close")], body: body))
    return try client.receiveToEnd().text
  }

  /// A client that had ended its output before the answer came has given up, however properly it closes.
  @Test(arguments: [true, false])
  func commandsInAnAnswerThatIsTooLateAreNotDelivered(givesUp: Bool) throws {
    let server = try server()
    defer { server.stop() }
    _ = try answer(of: server, "POST", "/admin/v1/devices/a/commands", #"{"commands":[["stop"]]}"#)
    let rule = #"{"faults":[{"id":"late","fault":{"kind":"delayAfterCommit","time":"100ms"}}]}"#
    _ = try answer(of: server, "PUT", "/admin/v1/faults", rule)
    let client = try LoopbackClient(port: server.port)
    try client.send(SessionHarness.bytes("POST", "/locations", [("X-Device-Id", "a")], body: BodyShapes.record(1)))
    if givesUp { client.shutdownOutput() }
    var text = ""
    while !text.contains(#"[["stop"]]"#) {
      text += String(decoding: try client.receiveSome(atMost: 65_536), as: UTF8.self)
    }
    client.close()
    var states = #""state":"sent""#
    for _ in 0..<10_000 where states.contains(#""state":"sent""#) {
      states = try answer(of: server, "GET", "/admin/v1/devices/a/commands")
    }
    #expect(states.contains(givesUp ? #""state":"queued""# : #""state":"delivered""#), "\(states)")
  }

  /// It is closed at once, and not when its client ends it.
  @Test func anIdleConnectionDoesNotHoldUpTheEnd() throws {
    let server = try server()
    let client = try LoopbackClient(port: server.port)
    try client.send(SessionHarness.bytes("GET", "/healthz"))
    _ = try client.receiveSome(atMost: 65_536)
    server.stop(within: 3_600)
    #expect(server.loops.figures.reduce(0) { $0 + $1.closed(.drained) } == 1)
  }

  @Test func pipelinedUploadsOverASocketKeepTheirOrder() throws {
    let server = try server()
    defer { server.stop() }
    let client = try LoopbackClient(port: server.port)
    var bytes: [UInt8] = []
    for number in 1...9 { bytes += SessionHarness.bytes("POST", "/locations", body: BodyShapes.record(number)) }
    bytes += SessionHarness.bytes("GET", "/healthz", [("Connection", "close")])
    try client.send(bytes)
    let text = try client.receiveToEnd().text
    #expect(text.components(of: #"{"accepted":1,"duplicate":0,"quarantined":0}"#) == 9)
    #expect(text.split(separator: "\r\n\r\n").last?.hasPrefix(#"{"status":"ok","version":""#) == true)
  }
}

extension String {
  fileprivate func components(of piece: String) -> Int {
    var count = 0
    var rest = Substring(self)
    while let range = rest.firstRange(of: piece) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
