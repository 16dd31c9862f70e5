import Base
import HTTP1
import Store
import Testing

@testable import IngestServer

/// Waiting for what becomes of commands, in virtual time.
@Suite struct CommandConditionTests {
  private func wait(_ server: VirtualServer, _ body: String) -> VirtualClient {
    let client = server.connect()
    client.post("/admin/v1/await", body)
    return client
  }

  private func upload(_ server: VirtualServer, _ number: Int, event: String? = nil) {
    server.connect().post("/locations/a", Uploads.record(number, event: event))
  }

  @Test func aStateOfACommandIsWaitedFor() throws {
    let server = try VirtualServer()
    let order = #"{"commands":[["changePace",true]]}"#
    #expect(try server.connect().request("POST", "/admin/v1/devices/a/commands", body: order).status == 200)
    let condition = #""device":"a","where":[{"path":"$.command[0]","equals":"changePace"}]"#
    let sent = wait(server, #"{"of":"commands","state":"sent",\#(condition)}"#)
    let confirmed = wait(server, #"{"of":"commands","state":"confirmed",\#(condition),"timeout":"1s"}"#)
    #expect(sent.received == [])
    upload(server, 0)
    #expect(try sent.answer()?.status == 200)
    server.advance(milliseconds: 1_000)
    let answer = try confirmed.answer()
    #expect(answer?.text.contains("state is sent, expected confirmed") == true, "\(answer?.text ?? "")")
  }

  /// The ledger is longer than what one look goes through.
  @Test func theNewestOfManyCommandsCount() throws {
    let server = try VirtualServer()
    let expiry = server.inner.now.advanced(byMilliseconds: 3_600_000)
    func order(_ text: String) -> StoreJob {
      .queue(QueuedCommand(target: .everyone(run: ""), command: Array(text.utf8), expiresAt: expiry))
    }
    let jobs = (0..<20_500).map { _ in order(#"["start"]"#) } + [order(#"["stop"]"#)]
    _ = server.store.apply(jobs, now: server.inner.now)
    let stops = #""of":"commands","where":[{"path":"$.command[0]","equals":"stop"}]"#
    for (body, status) in [
      (#"{\#(stops),"exactly":0}"#, 409), (#"{\#(stops),"atLeast":1}"#, 200), (#"{\#(stops),"exactly":1}"#, 200),
      (#"{"of":"commands","exactly":20500}"#, 409), (#"{"of":"commands","exactly":20501}"#, 200),
    ] {
      let answer = try server.connect().request("POST", "/admin/v1/verify", body: body)
      #expect(answer.status == status, "\(body): \(answer.text.prefix(300))")
    }
    let held = wait(server, #"{\#(stops),"exactly":1,"holds":"1s","timeout":"5s"}"#)
    server.advance(milliseconds: 500)
    let spoilt = wait(server, #"{\#(stops),"exactly":1,"holds":"1s","timeout":"3s"}"#)
    server.advance(milliseconds: 500)
    #expect(try held.answer()?.status == 200)
    _ = try server.connect().request("POST", "/admin/v1/commands", body: #"{"commands":[["stop"]]}"#)
    #expect(try spoilt.answer()?.status == 409)
  }

  /// That an answer has arrived is known later than what came meanwhile.
  @Test func aCommandThatIsDeliveredKeepsItsPlace() throws {
    let server = try VirtualServer()
    func post(_ body: String, _ target: String) throws -> TestAnswer {
      try server.connect().request("POST", target, body: body)
    }
    _ = try post(#"{"commands":[["stop"]]}"#, "/admin/v1/devices/a/commands")
    server.advance(milliseconds: 10)
    let first = server.connect()
    #expect(try first.request("POST", "/locations/a", body: Uploads.record(1)).text.contains("stop"))
    server.advance(milliseconds: 10)
    upload(server, 2, event: "geofence")
    let plans = ["queued", "sent"].map { #"{"inOrder":[{"of":"commands","state":"\#($0)"},{"event":"geofence"}]}"# }
    for plan in plans { #expect(try post(plan, "/admin/v1/verify").status == 200) }
    server.advance(milliseconds: 10)
    #expect(try first.request("POST", "/locations/a", body: Uploads.record(3)).status == 200)
    #expect(try post(#"{"of":"commands","state":"delivered"}"#, "/admin/v1/verify").status == 200)
    for plan in plans { #expect(try post(plan, "/admin/v1/verify").status == 200, "\(plan)") }
    let delivered = #"{"inOrder":[{"of":"commands","state":"delivered"},{"event":"geofence"}]}"#
    #expect(try post(delivered, "/admin/v1/verify").status == 409, "that was later")
  }

  /// Nothing tells of it: the wait looks when the time of the command is over.
  @Test func anExpiryIsWaitedFor() throws {
    let server = try VirtualServer()
    for ttl in ["3s", "1s"] {
      let order = #"{"commands":[["stop"]],"ttl":"\#(ttl)"}"#
      #expect(try server.connect().request("POST", "/admin/v1/devices/a/commands", body: order).status == 200)
    }
    let one = wait(server, #"{"of":"commands","device":"a","state":"expired","timeout":"9s"}"#)
    let two = wait(server, #"{"of":"commands","device":"a","state":"expired","atLeast":2,"timeout":"9s"}"#)
    server.advance(milliseconds: 990)
    #expect(one.received == [])
    server.advance(milliseconds: 20)
    #expect(try one.answer()?.status == 200 && two.received == [])
    server.advance(milliseconds: 2_000)
    #expect(try two.answer()?.status == 200)
  }
}
