import Base
import HTTP1
import JSON
import Store
import Support
import Testing

@testable import IngestServer

/// Waiting for requests, of a whole server with its journal.
@Suite struct RequestConditionTests {
  @Test func theThirdAttemptIsWaitedFor() throws {
    try withServer { server in
      let waiting = try begin(
        server, "/admin/v1/await", #"{"of":"requests","device":"a","operation":"uploadLocations","atLeast":3}"#)
      for number in 0..<3 {
        #expect(try post(server, "/locations/a", Uploads.record(number)).status == 200)
        #expect(try post(server, "/locations/b", Uploads.record(number)).status == 200)
      }
      let answer = try end(waiting)
      #expect(answer.status == 200)
      #expect(try answer.json()["found"] == .integer(3))
    }
  }

  /// A refresh that brought no tokens is none, and its entry says what has become of it.
  @Test(arguments: [#""drop":"before""#, #""drop":"after""#, #""shape":"noTokens""#, #""shape":"notJSON""#])
  func aSpoiltRefreshIsNone(breakage: String) throws {
    try withServer { server in
      let registration = try post(
        server, "/api/register", #"{"org":"acme","uuid":"a","model":"m","manufacturer":"f","version":"15"}"#)
      guard case .string(let token)? = try registration.json()["refreshToken"] else {
        throw NoAnswer(request: "register")
      }
      let put = SessionHarness.bytes(
        "PUT", "/admin/v1/tokens/break-refresh", [("Connection", "close")], body: "{\(breakage)}")
      let client = try LoopbackClient(port: server.port)
      try client.send(put)
      #expect(try end(client).status == 200)
      let fields = [("Content-Type", "application/x-www-form-urlencoded")]
      let refresh = try begin(server, "/api/refresh_token", "refresh_token=\(token)", fields)
      _ = try refresh.receiveToEnd()
      let seen = #"{"of":"requests","where":[{"path":"$.fault","equals":"breakRefresh"}],"exactly":1}"#
      #expect(try post(server, "/admin/v1/await", seen).status == 200)
      let verdict = try post(server, "/admin/v1/verify", #"{"of":"refreshes","exactly":0}"#)
      #expect(verdict.status == 200, "\(verdict.text)")
    }
  }

  /// The client leaves for good while its upload waits.
  @Test func anUploadWithoutAnAnswerIsARequest() throws {
    try withServer { server in
      let rule = #"{"faults":[{"id":"f","fault":{"kind":"delay","time":"10s"}}]}"#
      let put = try LoopbackClient(port: server.port)
      try put.send(SessionHarness.bytes("PUT", "/admin/v1/faults", [("Connection", "close")], body: rule))
      #expect(try end(put).status == 200)
      let client = try LoopbackClient(port: server.port)
      try client.send(SessionHarness.bytes("POST", "/locations/a", body: Uploads.record(1)))
      var rules = ""
      for _ in 0..<10_000 where !rules.contains(#""hits":1"#) {
        let asking = try LoopbackClient(port: server.port)
        try asking.send(SessionHarness.bytes("GET", "/admin/v1/faults", [("Connection", "close")]))
        rules = try end(asking).text
      }
      client.reset()
      let met = #"{"of":"requests","operation":"uploadLocations","status":499,"timeout":"30s"}"#
      let waiting = try begin(server, "/admin/v1/await", met)
      let answer = try end(waiting)
      #expect(answer.status == 200, "\(answer.text)")
    }
  }

  @Test func headersAndContentsAreLookedAt() throws {
    try withServer { server in
      #expect(
        try post(
          server, "/locations/a", Uploads.record(1), [("X-App", "one/2.0"), ("Content-Type", "application/json")]
        ).status == 200)
      for (condition, holds) in [
        (#"{"path":"$.head['x-app']","matches":"^one/"}"#, true),
        (#"{"path":"$.head['x-app']","equals":"two"}"#, false),
        (#"{"path":"$.body.coords.latitude","above":45}"#, true), (#"{"path":"$.answer.accepted","equals":1}"#, true),
        (#"{"path":"$.method","in":["PUT","PATCH"]}"#, false), (#"{"path":"$.fault","exists":false}"#, true),
        (#"{"path":"$.path","equals":"/locations/a"}"#, true),
      ] {
        let answer = try post(server, "/admin/v1/verify", #"{"of":"requests","where":[\#(condition)]}"#)
        #expect(answer.status == (holds ? 200 : 409), "\(condition) \(answer.text)")
      }
    }
  }

  @Test func requestsAndRecordsHaveOneOrder() throws {
    try withServer { server in
      let rule = #"{"faults":[{"id":"twice","fault":{"kind":"status","status":503},"match":{"device":"a","count":2}}]}"#
      let client = try LoopbackClient(port: server.port)
      try client.send(SessionHarness.bytes("PUT", "/admin/v1/faults", [("Connection", "close")], body: rule))
      #expect(try client.receiveToEnd().text.hasPrefix("HTTP/1.1 200"))
      let steps =
        #"[{"of":"requests","status":503,"atLeast":2},{"of":"requests","status":"2xx"},{"where":[{"path":"$.uuid","contains":"0"}]}]"#
      let waiting = try begin(server, "/admin/v1/await", #"{"device":"a","inOrder":\#(steps)}"#)
      #expect(try (0..<3).map { _ in try post(server, "/locations/a", Uploads.record(1)).status } == [503, 503, 200])
      #expect(try end(waiting).status == 200)
      let never = #"{"device":"a","inOrder":[{"of":"requests","status":"2xx"},{"of":"requests","status":503}]}"#
      let broken = try post(server, "/admin/v1/verify", never)
      #expect(broken.status == 409 && broken.text.contains("step 2 of 2"), "\(broken.text)")
      #expect(broken.text.contains("came before step 1 was met"), "\(broken.text)")
    }
  }

  @Test func whatIsNearIsTold() throws {
    try withServer { server in
      #expect(try post(server, "/r/one/locations/a", Uploads.record(1)).status == 200)
      #expect(try post(server, "/r/two/locations/a", "{").status == 400)
      let answer = try post(server, "/r/one/admin/v1/verify", #"{"of":"requests","device":"a","status":400}"#)
      #expect(answer.text.contains("(POST /r/two/locations/a of a) matches, in run two"), "\(answer.text)")
      #expect(answer.text.contains("(POST /r/one/locations/a of a): $.status is 200, expected 400"), "\(answer.text)")
    }
  }

  @Test func aRequestWithoutADeviceIsNotOneOfAnother() throws {
    try withServer { server in
      #expect(try post(server, "/locations", "{").status == 400)
      #expect(try post(server, "/locations/b", "{").status == 400)
      let answer = try post(server, "/admin/v1/verify", #"{"of":"requests","device":"a","status":400}"#)
      #expect(answer.text.contains("(POST /locations) matches, and does not say its device"), "\(answer.text)")
      #expect(answer.text.contains("(POST /locations/b of b) matches, of another device"), "\(answer.text)")
    }
  }

  /// Also while the server has a command for some other device, so that it looks for those of this one.
  @Test(arguments: [false, true]) func aRefreshIsWaitedFor(isBesideACommand: Bool) throws {
    try withServer { server in
      if isBesideACommand {
        #expect(
          try post(server, "/admin/v1/devices/other/commands", #"{"commands":[["stop"]]}"#).status == 200)
      }
      let body = #"{"org":"o","uuid":"a","model":"m","framework":"f","platform":"p","manufacturer":"x","version":"1"}"#
      let registered = try post(server, "/r/one/api/register", body)
      guard case .string(let token)? = try registered.json()["refreshToken"] else {
        throw NoAnswer(request: registered.text)
      }
      let waiting = try begin(server, "/r/one/admin/v1/await", #"{"of":"refreshes","device":"a"}"#)
      let form = [("Content-Type", "application/x-www-form-urlencoded")]
      #expect(try post(server, "/r/one/api/refresh_token", "refresh_token=none", form).status >= 400)
      #expect(try post(server, "/r/one/api/refresh_token", "refresh_token=\(token)", form).status == 200)
      let answer = try end(waiting)
      #expect(answer.status == 200)
      #expect(try answer.json()["found"] == .integer(1))
    }
  }
}
