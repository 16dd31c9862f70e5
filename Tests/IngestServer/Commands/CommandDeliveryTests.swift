import Network
import Store
import Support
import Testing

@testable import IngestServer

@Suite struct CommandDeliveryTests {
  private let stop = #"{"commands":[["stop"]]}"#
  private let stopped = #"[["stop"]]"#

  @Test func aRefusedTokenStillBringsTheCommands() throws {
    let harness = try SessionHarness { $0.authentication = .required }
    let tokens = try harness.register("a")
    _ = try harness.order(stop, for: "a")
    harness.advance(seconds: 3_700)
    let answer = try harness.upload(1, bearer: tokens.access)
    #expect(answer.status == 401)
    #expect(try answer.errorCode == "token_expired")
    #expect(try answer.commands == stopped)
  }

  @Test func aRevokedDeviceCanBeStopped() throws {
    let harness = try SessionHarness { $0.authentication = .required }
    let tokens = try harness.register("a")
    _ = try harness.request("POST", "/admin/v1/tokens/revoke", body: #"{"device":"a"}"#)
    _ = try harness.order(stop, for: "a")
    let answer = try harness.upload(1, bearer: tokens.access)
    #expect(answer.status == 401)
    #expect(try answer.commands == stopped)
    _ = try harness.order(stop, for: "a")
    let refreshed = try harness.refresh(tokens.refresh)
    #expect(refreshed.status == 401)
    #expect(try refreshed.commands == stopped)
  }

  @Test func aClaimedDeviceNameGetsNoCommands() throws {
    let harness = try SessionHarness { $0.authentication = .required }
    let mine = try harness.register("mine")
    _ = try harness.register("a")
    _ = try harness.order(stop, for: "a")
    #expect(try harness.upload(1, device: "a").commands == nil)
    #expect(try harness.upload(1, bearer: "x.y.z", device: "a").commands == nil)
    let wrong = try harness.upload(1, bearer: mine.access, device: "a")
    #expect(wrong.status == 403)
    #expect(try wrong.commands == nil)
    #expect(try harness.refresh("-.YQ.c2VjcmV0").commands == nil)
    #expect(try harness.ledgerStates(of: "a") == ["queued"])
  }

  @Test func aRefreshBringsThemBesideTheTokens() throws {
    let harness = try SessionHarness()
    let tokens = try harness.register("a")
    _ = try harness.order(#"{"commands":[["setConfig",{"authorization":{"accessToken":"other"}}]]}"#, for: "a")
    let answer = try harness.refresh(tokens.refresh)
    #expect(try answer.commands?.contains("other") == true)
    #expect(try harness.pair(answer).access != "other")
  }

  @Test func aBodyThatIsRefusedBringsThem() throws {
    let harness = try SessionHarness { $0.policy = .strict }
    _ = try harness.order(#"{"commands":[["stop"]]}"#, for: "a")
    let strict = try harness.upload(#"{"location":{"coords":{"latitude":"x"}},"device_id":"a"}"#)
    #expect(strict.status == 422)
    #expect(try strict.commands == stopped)
    _ = try harness.order(#"{"commands":[["stop"]]}"#, for: "a")
    let malformed = try harness.upload("{", [("X-Device-Id", "a")])
    #expect(malformed.status == 400)
    #expect(try malformed.commands == stopped)
  }

  @Test func theNextRequestOnTheConnectionProvesTheDelivery() throws {
    let harness = try SessionHarness()
    _ = try harness.order(stop, for: "a")
    _ = try harness.upload(1, device: "a")
    harness.send("GET /healthz HTTP/1.1\r\n")
    let other = try harness.reader.commands(run: "", now: harness.now, limit: 10).elements.map(\.state)
    #expect(other == [.sent])
    harness.send("Host: x\r\n\r\n")
    _ = try harness.answer()
    #expect(try harness.ledgerStates(of: "a") == ["delivered"])
  }

  /// It may have been sent before the client could read the answer.
  @Test func aRequestThatWasHereBeforeTheAnswerProvesNothing() throws {
    let harness = try SessionHarness()
    for device in ["a", "b"] { _ = try harness.order(stop, for: device) }
    func states() throws -> [CommandProgress.State] {
      try harness.reader.commands(run: "", now: harness.now, limit: 10).elements.map(\.state)
    }
    let both = ["a", "b"].enumerated().flatMap { number, device in
      SessionHarness.bytes("POST", "/locations", [("X-Device-Id", device)], body: Uploads.record(number))
    }
    harness.send(both)
    #expect(try states() == [.sent, .sent])
    harness.close(.reset)
    harness.commit()
    #expect(try states() == [.queued, .queued])
    harness.send(both)
    _ = try (harness.answer(), harness.answer())
    #expect(try harness.request("GET", "/healthz").status == 200)
    #expect(try states() == [.delivered, .delivered])
  }

  /// While an answer is owed, what comes stays with the kernel.
  @Test func aRequestThatCameWhileTheAnswerWasOwedProvesNothing() throws {
    try withServer { (server) throws in
      let rule =
        #"{"faults":[{"id":"f","fault":{"kind":"delayAfterCommit","time":"500ms"},"match":{"device":"a","count":1}}]}"#
      #expect(try Curl.run(["-X", "PUT", "-d", rule, server.url + "/admin/v1/faults"]).hasSuffix(" 200"))
      #expect(try post(server, "/admin/v1/devices/a/commands", stop).status == 200)
      /// Commits what was handed over before.
      func state() throws -> Bool {
        #expect(try post(server, "/locations", Uploads.record(2), [("X-Device-Id", "b")]).status == 200)
        return try Curl.run([server.url + "/admin/v1/devices/a/commands"]).contains(#""state":"delivered""#)
      }
      let client = try LoopbackClient(port: server.port)
      try client.send(SessionHarness.bytes("POST", "/locations", [("X-Device-Id", "a")], body: Uploads.record(1)))
      try client.send(SessionHarness.bytes("GET", "/healthz"))
      var text = ""
      while !text.contains(#""status":"ok""#) {
        text += String(decoding: try client.receiveSome(atMost: 4_096), as: UTF8.self)
      }
      #expect(text.contains("background_geolocation"))
      #expect(try !state())
      try client.send(SessionHarness.bytes("GET", "/healthz"))
      _ = try client.receiveSome(atMost: 4_096)
      #expect(try state())
    }
  }

  @Test(arguments: [CloseReason.clientClosed, .finished])
  func aConnectionClosedInOrderProvesItToo(reason: CloseReason) throws {
    let harness = try SessionHarness()
    _ = try harness.order(stop, for: "a")
    _ = try harness.upload(1, device: "a")
    harness.close(reason)
    harness.commit()
    #expect(try harness.ledgerStates(of: "a") == ["delivered"])
  }

  @Test(arguments: [CloseReason.idleTimeout, .lingerTimeout, .drained])
  func aSilentEndProvesNothing(reason: CloseReason) throws {
    let harness = try SessionHarness()
    _ = try harness.order(stop, for: "a")
    _ = try harness.upload(1, device: "a")
    harness.close(reason)
    harness.commit()
    #expect(try harness.ledgerStates(of: "a") == ["sent"])
    #expect(try harness.upload(2, device: "a").commands == nil)
  }

  @Test(arguments: [CloseReason.reset, .lost, .aborted, .writeTimeout, .stopped])
  func anAnswerThatWasCutIsGivenBack(reason: CloseReason) throws {
    let harness = try SessionHarness()
    _ = try harness.order(stop, for: "a")
    _ = try harness.upload(1, device: "a")
    harness.close(reason)
    harness.commit()
    #expect(try harness.ledgerStates(of: "a") == ["queued"])
    #expect(try harness.upload(2, device: "a").commands == stopped)
  }

  /// The first connection hangs, and the device comes on another: what it was told there is the last word.
  @Test func aCommandThatComesBackIsNotTheLast() throws {
    let server = try VirtualServer()
    let (first, second, admin) = (server.connect(), server.connect(), server.connect())
    func order(_ metres: Int) throws {
      let body = #"{"commands":[["setConfig",{"geolocation":{"distanceFilter":\#(metres)}}]]}"#
      #expect(try admin.request("POST", "/admin/v1/devices/a/commands", body: body).status == 200)
    }
    func upload(_ client: VirtualClient, _ number: Int) throws -> String? {
      try client.request("POST", "/locations", [("X-Device-Id", "a")], body: Uploads.record(number)).commands
    }
    func configured(_ metres: Int...) -> String {
      "[" + metres.map { #"["setConfig",{"geolocation":{"distanceFilter":\#($0)}}]"# }.joined(separator: ",") + "]"
    }
    try order(10)
    #expect(try upload(first, 1) == configured(10))
    try order(99)
    #expect(try upload(second, 2) == configured(99))
    first.vanish()
    server.settle()
    #expect(try upload(second, 3) == configured(10, 99))
    #expect(try upload(second, 4) == nil)
  }

  /// The client may go before the commit, or between the commit and the answer.
  @Test(arguments: [false, true])
  func aClientThatGoesBeforeItsAnswerGetsTheCommandLater(afterCommit: Bool) throws {
    let harness = try SessionHarness()
    _ = try harness.order(stop, for: "a")
    let body = Uploads.record(1)
    harness.send(SessionHarness.bytes("POST", "/locations", [("X-Device-Id", "a")], body: body), commits: false)
    if afterCommit { harness.commit(delivers: false) }
    harness.close(.reset)
    harness.commit(delivers: false)
    harness.commit()
    #expect(try harness.ledgerStates(of: "a") == ["queued"])
    #expect(try harness.upload(2, device: "a").commands == stopped)
  }

  /// An answer that needs nothing of the store does not go there for commands that were never queued.
  @Test func theStoreIsNotReadWhileNoCommandIsQueued() throws {
    let harness = try SessionHarness { $0.authentication = .required }
    let tokens = try harness.register("a")
    harness.advance(seconds: 3_700)
    let body = Uploads.record(1)
    let bytes = SessionHarness.bytes("POST", "/locations", [("Authorization", "Bearer \(tokens.access)")], body: body)
    harness.send(bytes, commits: false)
    #expect(try harness.answer()?.status == 401)
    _ = try harness.order(#"{"commands":[["stop"]],"ttl":60}"#, for: "b")
    harness.send(bytes, commits: false)
    let early = try harness.answer()
    #expect(early?.status == nil)
    harness.send("", commits: true)
    #expect(try harness.answer()?.status == 401)
    harness.advance(seconds: 60)
    harness.send(bytes, commits: false)
    #expect(try harness.answer()?.status == 401)
  }

  @Test func aFullStoreCostsTheCommandsButNotTheAnswer() throws {
    let harness = try SessionHarness { $0.authentication = .required }
    let tokens = try harness.register("a")
    _ = try harness.order(stop, for: "a")
    harness.advance(seconds: 3_700)
    harness.setFull(true, shows: false)
    #expect(try harness.upload(1, bearer: tokens.access).status == 401)
    harness.setFull(false)
    #expect(try harness.upload(1, bearer: tokens.access).commands == stopped)
  }

  /// A fault took the answer, or what made it readable.
  @Test(arguments: [
    #"{"kind":"malformed"}"#, #"{"kind":"empty"}"#, #"{"kind":"wrongLength","by":10}"#,
    #"{"kind":"delayAfterCommit","from":"5s","to":"5s"}"#,
    #"{"kind":"dribble","bytes":1,"every":"1s"}"#,
  ])
  func aSpoiltAnswerGivesItsCommandsBack(fault: String) throws {
    let harness = try SessionHarness()
    let rule = #"{"faults":[{"id":"f","fault":\#(fault),"match":{"count":1},"seed":1}]}"#
    #expect(try harness.request("PUT", "/admin/v1/faults", body: rule).status == 200)
    _ = try harness.order(stop, for: "a")
    harness.send(SessionHarness.bytes("POST", "/locations", [("X-Device-Id", "a")], body: Uploads.record(1)))
    harness.close(.clientGone)
    harness.commit()
    #expect(try harness.ledgerStates(of: "a") == ["queued"])
  }

  @Test(arguments: [#"{"kind":"drop"}"#, #"{"kind":"cut","bytes":200}"#])
  func anAnswerThatTheServerCutsItselfIsGivenBack(fault: String) throws {
    let harness = try SessionHarness()
    let rule = #"{"faults":[{"id":"f","fault":\#(fault),"match":{"count":1},"seed":1}]}"#
    _ = try harness.request("PUT", "/admin/v1/faults", body: rule)
    _ = try harness.order(stop, for: "a")
    harness.send(SessionHarness.bytes("POST", "/locations", [("X-Device-Id", "a")], body: Uploads.record(1)))
    harness.close(.aborted)
    harness.commit()
    #expect(try harness.upload(2, device: "a").commands == stopped)
  }
}
