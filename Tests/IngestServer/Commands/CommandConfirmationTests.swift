import HTTP1
import JSON
import ServerSupport
import Support
import Testing

@testable import IngestServer

/// What the ledger says of a command when records show that it was obeyed; and what outlives a restart.
@Suite struct CommandConfirmationTests {
  /// The harness's clock stands at 18:34:23.
  private func record(_ number: Int, at time: String, _ members: String) -> String {
    #"{"uuid":"\#(Uploads.uuid(number))","timestamp":"2026-07-28T\#(time)Z",\#(members),"#
      + #""coords":{"latitude":45.5,"longitude":-73.5}}"#
  }

  @Test(arguments: [
    (#"["changePace",true]"#, #""event":"motionchange","is_moving":true"#),
    (#"["changePace",false]"#, #""event":"motionchange","is_moving":false"#),
    (#"["setOdometer",12000]"#, #""odometer":12040.5"#), (#"["resetOdometer"]"#, #""odometer":0"#),
  ])
  func aRecordProvesTheCommand(command: String, members: String) throws {
    let harness = try SessionHarness()
    #expect(try harness.order(#"{"commands":[\#(command)]}"#, for: "a").status == 200)
    #expect(try harness.upload(1, device: "a").commands != nil)
    let fields = [("X-Device-Id", "a")]
    #expect(try harness.upload(record(2, at: "18:34:00", members), fields).status == 200)
    #expect(try harness.ledgerStates(of: "a") == ["delivered"], "recorded before the command")
    #expect(try harness.upload(record(3, at: "18:35:00", members), fields).status == 200)
    #expect(try harness.ledgerStates(of: "a") == ["confirmed"])
    let ledger = try harness.request("GET", "/admin/v1/devices/a/commands").text
    #expect(ledger.contains(#""confirmedAt":"2026-07-28T18:34:23.000Z""#), "\(ledger)")
  }

  @Test func ofOtherCommandsRecordsAreSilent() throws {
    let harness = try SessionHarness()
    _ = try harness.order(#"{"commands":[["stop"],["start"]]}"#, for: "a")
    _ = try harness.upload(1, device: "a")
    let members = #""event":"motionchange","is_moving":true,"odometer":0"#
    _ = try harness.upload(record(2, at: "18:35:00", members), [("X-Device-Id", "a")])
    #expect(try harness.ledgerStates(of: "a") == ["delivered", "delivered"])
  }

  /// A refused request goes to the store for commands only while some may be waiting; a new process has to know that.
  @Test func aCommandOfAnEarlierProcessComesWithARefusal() throws {
    let folder = try TemporaryFolder()
    var configuration = ServerConfiguration.loopback(data: folder.path)
    configuration.authentication = .required
    func ask(_ server: IngestServer, _ target: String, _ fields: [(String, String)], _ body: String) throws
      -> TestAnswer
    {
      let client = try LoopbackClient(port: server.port)
      try client.send(SessionHarness.bytes("POST", target, fields + [("Connection", "close")], body: body))
      var bytes = Array(try client.receiveToEnd().text.utf8)
      guard let answer = try TestAnswer.take(from: &bytes, to: .post) else { throw NoAnswer(request: target) }
      return answer
    }
    var bearer = ("Authorization", "")
    do {
      let server = try IngestServer(configuration)
      defer { server.stop() }
      let registration = #"{"org":"o","uuid":"a","model":"m","manufacturer":"f","version":"1"}"#
      guard case .string(let token)? = try ask(server, "/api/register", [], registration).json()["accessToken"] else {
        throw NoAnswer(request: "register")
      }
      bearer.1 = "Bearer \(token)"
      #expect(try ask(server, "/admin/v1/tokens/revoke", [], #"{"device":"a"}"#).status == 200)
      #expect(try ask(server, "/admin/v1/devices/a/commands", [], #"{"commands":[["stop"]]}"#).status == 200)
    }
    let server = try IngestServer(configuration)
    defer { server.stop() }
    let answer = try ask(server, "/locations", [bearer], Uploads.record(1))
    #expect(answer.status == 401)
    #expect(try answer.commands == #"[["stop"]]"#)
  }
}
