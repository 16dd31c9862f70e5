import HTTP1
import JSON
import ServerSupport
import Support
import Testing

@testable import IngestServer

/// The way as a whole, over a socket: tokens and commands as a device meets them.
@Suite struct DeviceWayTests {
  private func server() throws -> IngestServer {
    var configuration = ServerConfiguration.loopback(loops: 1)
    configuration.authentication = .required
    return try IngestServer(configuration)
  }

  /// One request on a connection that stays open.
  private func ask(
    _ client: LoopbackClient, _ method: String, _ target: String, bearer: String? = nil, _ body: String? = nil
  ) throws -> TestAnswer {
    let fields = bearer.map { [("Authorization", "Bearer \($0)")] } ?? []
    try client.send(SessionHarness.bytes(method, target, fields, body: body))
    var received: [UInt8] = []
    while true {
      received += try client.receive(1)
      guard received.suffix(4) == [13, 10, 13, 10] || received.last == UInt8(ascii: "}") else { continue }
      if let answer = try TestAnswer.take(from: &received, to: .post) { return answer }
    }
  }

  private func text(_ answer: TestAnswer, _ key: String) throws -> String {
    guard case .string(let text)? = try answer.json()[key] else { throw NoAnswer(request: answer.text) }
    return text
  }

  private let registration = #"{"org":"acme","uuid":"phone","model":"m","manufacturer":"f","version":"15"}"#

  @Test func registerUploadExpireRefreshUpload() throws {
    let server = try server()
    defer { server.stop() }
    let device = try LoopbackClient(port: server.port)
    let registered = try ask(device, "POST", "/api/register", registration)
    let access = try text(registered, "accessToken")
    #expect(try ask(device, "POST", "/locations", bearer: access, Uploads.record(1)).status == 200)

    #expect(try ask(device, "POST", "/admin/v1/tokens/expire", #"{"device":"phone"}"#).text == #"{"families":1}"#)
    let refused = try ask(device, "POST", "/locations", bearer: access, Uploads.record(2))
    #expect(refused.status == 401)
    #expect(refused.field("WWW-Authenticate") != nil)

    let form = "refresh_token=\(try text(registered, "refreshToken"))"
    let refreshed = try ask(device, "POST", "/api/refresh_token", bearer: access, form)
    let answer = try ask(
      device, "POST", "/locations", bearer: text(refreshed, "access_token"), Uploads.record(2))
    #expect(answer.text == #"{"accepted":1,"duplicate":0,"quarantined":0}"#)
  }

  @Test func aCommandIsQueuedThenDeliveredThenInTheLedger() throws {
    let server = try server()
    defer { server.stop() }
    let device = try LoopbackClient(port: server.port)
    let access = try text(ask(device, "POST", "/api/register", registration), "accessToken")
    let operator1 = try LoopbackClient(port: server.port)
    #expect(try ask(operator1, "POST", "/admin/v1/devices/phone/commands", #"{"commands":[["stop"]]}"#).status == 200)
    let answer = try ask(device, "POST", "/locations", bearer: access, Uploads.record(1))
    #expect(try answer.commands == #"[["stop"]]"#)
    #expect(try ask(device, "GET", "/healthz").status == 200)
    let ledger = try ask(operator1, "GET", "/admin/v1/devices/phone/commands")
    #expect(ledger.text.contains(#""state":"delivered""#), "\(ledger.text)")
  }

  @Test func aClientThatResetsAfterItsAnswerGetsTheCommandAgain() throws {
    let server = try server()
    defer { server.stop() }
    let operator1 = try LoopbackClient(port: server.port)
    let access = try text(ask(operator1, "POST", "/api/register", registration), "accessToken")
    _ = try ask(operator1, "POST", "/admin/v1/devices/phone/commands", #"{"commands":[["stop"]]}"#)
    let lost = try LoopbackClient(port: server.port)
    #expect(try ask(lost, "POST", "/locations", bearer: access, Uploads.record(1)).commands != nil)
    lost.reset()
    // The one loop sees the reset before a connection that is made after it.
    let device = try LoopbackClient(port: server.port)
    #expect(try ask(device, "POST", "/locations", bearer: access, Uploads.record(2)).commands == #"[["stop"]]"#)
  }

  @Test func aBrokenRefreshCutsTheConnection() throws {
    let server = try server()
    defer { server.stop() }
    let device = try LoopbackClient(port: server.port)
    let token = try text(ask(device, "POST", "/api/register", registration), "refreshToken")
    #expect(try ask(device, "PUT", "/admin/v1/tokens/break-refresh", #"{"drop":"after"}"#).status == 200)
    try device.send(SessionHarness.bytes("POST", "/api/refresh_token", body: "refresh_token=\(token)"))
    let (received, ending) = try device.receiveToEnd()
    #expect(received.isEmpty)
    #expect(ending == .reset)
    let again = try LoopbackClient(port: server.port)
    #expect(try ask(again, "POST", "/api/refresh_token", "refresh_token=\(token)").status == 200)
  }
}
