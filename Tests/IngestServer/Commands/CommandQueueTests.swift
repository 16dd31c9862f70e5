import JSON
import Support
import Testing

@testable import IngestServer

@Suite struct CommandQueueTests {
  private let harness: SessionHarness

  init() throws { harness = try SessionHarness() }

  @Test func aCommandWaitsForItsDeviceAndComesOnce() throws {
    let queued = try harness.order(#"{"commands":[["setConfig",{"distanceFilter":50}],["stop"]]}"#, for: "a")
    #expect(queued.status == 200)
    #expect(try harness.ledgerStates(of: "a") == ["queued", "queued"])
    #expect(try harness.upload(1, device: "b").commands == nil)
    #expect(try harness.upload(2, device: "a").commands == #"[["setConfig",{"distanceFilter":50}],["stop"]]"#)
    #expect(try harness.upload(3, device: "a").commands == nil)
  }

  @Test func theAnswerNamesEachCommandAndWarns() throws {
    let answer = try harness.order(#"{"commands":[["setConfig",{"distanceFiltre":50}]],"ttl":60}"#, for: "a")
    let json = try answer.json()
    guard case .array(let commands)? = json["commands"], case .array(let warnings)? = json["warnings"] else {
      Issue.record("\(answer.text)")
      return
    }
    #expect(commands.count == 1)
    #expect(commands[0]["alreadyQueued"] == .bool(false))
    #expect(commands[0]["command"]?[""] == nil && commands[0]["id"] != nil)
    #expect(json["expiresAt"] == .string("2026-07-28T18:35:23.000Z"), "a minute after the clock of the harness")
    #expect(warnings.count == 1, "\(answer.text)")
  }

  @Test(arguments: [
    #"{"commands":[["stopp"]]}"#, #"{"commands":[["changePace",2]]}"#, #"{"commands":[["stop","start"]]}"#,
    #"{"commands":[]}"#, #"{}"#, "[]", "", #"{"commands":[["stop"]],"ttl":"1y"}"#, #"{"commands":[["stop"]],"ttl":0}"#,
    #"{"commands":[["stop"]],"ttl":"99999999999999999999d"}"#, #"{"commands":[["stop"]],"ttl":"91d"}"#,
    #"{"commands":[["stop"]],"key":""}"#, #"{"commands":[["stop"]],"tag":"only broadcasts have one"}"#,
  ])
  func anInvalidCommandRefusesTheWholeRequest(body: String) throws {
    let answer = try harness.order(body, for: "a")
    #expect(answer.status == 400, "\(answer.text)")
    #expect(try harness.ledgerStates(of: "a").isEmpty)
  }

  @Test func theMessageNamesTheCommandThatWasMeant() throws {
    let answer = try harness.order(#"{"commands":[["stop"],["stopp"]]}"#, for: "a")
    #expect(answer.text.contains("command 1: Unknown action: stopp (did you mean stop?)"))
    #expect(try harness.order(#"{"commands":[["stop"]],"tll":5}"#, for: "a").text.contains("did you mean ttl?"))
  }

  /// What is answered is what the device will get, and until when.
  @Test func theAnswerShowsTheOrderThatStands() throws {
    let first = try harness.order(#"{"commands":[["changePace",true]],"key":"once","ttl":"1h"}"#, for: "a").json()
    let body = #"{"commands":[["changePace",false],["stop"]],"key":"once","ttl":"2d"}"#
    let second = try harness.order(body, for: "a").json()
    guard case .array(let commands)? = second["commands"], case .array(let before)? = first["commands"] else {
      throw NoAnswer(request: "commands")
    }
    #expect(commands[0]["command"] == .array([.string("changePace"), .bool(true)]))
    #expect(commands[0]["alreadyQueued"] == .bool(true) && commands[0]["id"] == before[0]["id"])
    #expect(commands[0]["expiresAt"] == first["expiresAt"])
    #expect(commands[1]["alreadyQueued"] == .bool(false) && commands[1]["expiresAt"] == nil)
    #expect(second["expiresAt"] == .string("2026-07-30T18:34:23.000Z"))
    let third = try harness.order(#"{"commands":[["stop"]],"key":"once","ttl":"3d"}"#, for: "a").json()
    #expect(third["expiresAt"] == first["expiresAt"])
    #expect(try harness.upload(1, device: "a").commands == #"[["changePace",true],["stop"]]"#)
  }

  @Test func anOpenOrderWithTheSameKeyIsNotDoubled() throws {
    let body = #"{"commands":[["start"],["changePace",true]],"key":"morning"}"#
    let first = try harness.order(body, for: "a")
    let second = try harness.order(body, for: "a")
    #expect(second.text == first.text.replacing("false", with: "true"))
    #expect(try harness.ledgerStates(of: "a").count == 2)
    // Another device's key is its own, and a fetched order is not open any more.
    #expect(try harness.order(body, for: "b").text.contains("false"))
    #expect(try harness.upload(1, device: "a").commands == #"[["start"],["changePace",true]]"#)
    #expect(try harness.order(body, for: "a").text.contains("false"))
  }

  @Test(arguments: [("90s", 90), ("10m", 600), ("1h", 3_600), ("2d", 172_800), ("45", 45)])
  func anOrderExpires(ttl: String, seconds: Int64) throws {
    for (wait, isThere) in [(seconds - 1, true), (seconds, false)] {
      _ = try harness.order(#"{"commands":[["stop"]],"ttl":"\#(ttl)"}"#, for: "late")
      harness.advance(seconds: wait)
      #expect((try harness.upload(1, device: "late").commands != nil) == isThere, "after \(wait) s")
    }
    #expect(try harness.ledgerStates(of: "late").last == "expired")
  }

  @Test func everyoneGetsABroadcastOnce() throws {
    _ = try harness.upload(1, device: "a")
    #expect(try harness.order(#"{"commands":[["stop"]]}"#).status == 200)
    for name in ["a", "new"] {
      #expect(try harness.upload(2, device: name).commands == #"[["stop"]]"#)
      #expect(try harness.upload(3, device: name).commands == nil)
      #expect(try harness.ledgerStates(of: name).count == 1)
    }
  }

  @Test func aTagReachesThoseWhoHaveIt() throws {
    let tagged = try harness.request("PUT", "/admin/v1/devices/van/tags", body: #"{"tags":["vans","blue"]}"#)
    #expect(tagged.status == 200)
    _ = try harness.order(#"{"commands":[["stop"]],"tag":"vans"}"#)
    #expect(try harness.upload(1, device: "bike").commands == nil)
    #expect(try harness.upload(1, device: "van").commands == #"[["stop"]]"#)
    #expect(try harness.upload(2, device: "van").commands == nil)
    #expect(try harness.request("PUT", "/admin/v1/devices/van/tags", body: #"{"tags":[1]}"#).status == 400)
  }

  /// The list has them from memory, the device from the store.
  @Test func theListAndTheDeviceHaveTheSameTags() throws {
    _ = try harness.upload(1, device: "van")
    let body = #"{"tags":["vans","blue","vans","é","z"]}"#
    let put = try harness.request("PUT", "/admin/v1/devices/van/tags", body: body)
    #expect(try put.json()["tags"] == .integer(4))
    let tags: JSONValue = .array(["blue", "vans", "z", "é"].map { .string($0) })
    #expect(try harness.request("GET", "/admin/v1/devices/van").json()["tags"] == tags)
    #expect(try harness.request("GET", "/admin/v1/devices").json()["devices"]?.elements.first?["tags"] == tags)
  }

  @Test func runsAreApart() throws {
    _ = try harness.order(#"{"commands":[["stop"]]}"#, run: "one")
    _ = try harness.order(#"{"commands":[["start"]]}"#, for: "a", run: "one")
    #expect(try harness.upload(1, device: "a").commands == nil)
    #expect(try harness.upload(1, device: "a", run: "two").commands == nil)
    #expect(try harness.upload(1, device: "a", run: "one").commands == #"[["stop"],["start"]]"#)
  }

  @Test func aMisspelledKeyIsNamed() throws {
    let answer = try harness.order(#"{"command":[["stop"]]}"#, for: "a")
    let words = try answer.json().serializedText
    #expect(answer.status == 400 && words.contains("command: unknown key; did you mean commands?"), "\(words)")
  }

  @Test func theLedgerHasPages() throws {
    for _ in 0..<5 { _ = try harness.order(#"{"commands":[["stop"]]}"#, for: "a") }
    var path = "/admin/v1/devices/a/commands?limit=2"
    var ids: [JSONValue] = []
    while true {
      let json = try harness.request("GET", path).json()
      guard case .array(let lines)? = json["commands"] else { break }
      ids += lines.compactMap { $0["id"] }
      guard case .string(let next)? = json["next"] else { break }
      path = "/admin/v1/devices/a/commands?limit=2&cursor=\(next)"
    }
    #expect(ids == (1...5).map { .integer($0) })
    for bad in ["limit=0", "limit=x", "limit=1001", "cursor=x"] {
      #expect(try harness.request("GET", "/admin/v1/devices/a/commands?\(bad)").status == 400, "\(bad)")
    }
  }
}
