import Base
import FleetSimulator
import JSON
import Support
import Testing

/// A run steered over sockets.
@Suite struct SteeringTests {
  @Test func anActChangesTheRunAndStandsInTheList() throws {
    let stage = try RoomStage()
    defer { stage.stop() }
    try stage.waitForView()
    let answer = try stage.post(#"{"addPhones":{"fleet":"cars","count":3}}"#)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.json()["outcome"]?.string == "applied")
    let acts = try stage.get("/run/v1/acts").json()["acts"]?.elements ?? []
    #expect(acts.compactMap { $0["says"]?.string } == ["pause", "add 3 phones to cars"])
    let scenario = try stage.get("/run/v1/scenario").text
    #expect(scenario.contains("addPhones"))
    // Phones come in turns of their own, which a run that stands still does not have.
    let listener = try RoomListener(stage)
    try listener.read(until: "\"devices\":4,")
    #expect(try stage.post(#"{"resume":{}}"#).status == 200)
    try listener.read(until: "\"devices\":7,")
  }

  @Test(arguments: [
    ("", "bad_json"), ("[", "bad_json"), ("[]", "bad_act"), ("{}", "bad_act"), (#"{"pause":{},"stop":{}}"#, "bad_act"),
    (#"{"addPhones":{"fleet":"cars","count":0}}"#, "bad_act"),
    (#"{"changeRate":{"fleet":"cars","factor":-1}}"#, "bad_act"),
    (#"{"dropNetwork":{"for":"5 parsecs"}}"#, "bad_act"), (#"{"killApps":{}}"#, "bad_act"),
  ])
  func aWrongActSaysWhatIsWrongAndDoesNothing(body: String, code: String) throws {
    let stage = try RoomStage()
    defer { stage.stop() }
    let answer = try stage.post(body)
    #expect(answer.status == 400)
    #expect(try answer.json()["error"]?["code"]?.string == code, "\(answer.text)")
    #expect(stage.steering.entries.count == 1)
  }

  /// The whole request, byte by byte, and each beginning of it.
  @Test func anActThatComesInPiecesIsDoneOnceAndOneThatBreaksOffNever() throws {
    let stage = try RoomStage()
    defer { stage.stop() }
    let body = #"{"killApps":{"share":0}}"#
    let head =
      "POST /run/v1/acts HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    let request = Array((head + body).utf8)
    for length in stride(from: 0, to: request.count, by: 7) {
      let client = try LoopbackClient(port: stage.port)
      try client.send(Array(request[..<length]))
      client.shutdownOutput()
      _ = try client.receiveToEnd()
    }
    #expect(stage.steering.entries.count == 1)
    let client = try LoopbackClient(port: stage.port)
    for byte in request { try client.send([byte]) }
    #expect(try client.receiveToEnd().text.hasPrefix("HTTP/1.1 200 "))
    #expect(stage.steering.entries.count == 2)
  }

  /// The stream tells of an act without being asked.
  @Test func aListenerSeesTheActsOfOthers() throws {
    let stage = try RoomStage()
    defer { stage.stop() }
    let listener = try RoomListener(stage)
    try listener.read(until: "\"acts\":1,")
    _ = try stage.post(#"{"killApps":{"share":0}}"#)
    try listener.read(until: "\"acts\":2,")
    #expect(listener.text.contains("event: state\ndata: {\"scenario\":\"small\""))
  }

  @Test func moreListenersThanThereIsRoomForAreTurnedAway() throws {
    let stage = try RoomStage()
    defer { stage.stop() }
    var clients: [LoopbackClient] = []
    for _ in 0..<16 {
      let client = try LoopbackClient(port: stage.port)
      try client.send("GET /run/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      _ = try client.receiveSome(atMost: 4_096)
      clients.append(client)
    }
    #expect(try stage.get("/run/v1/live").status == 503)
    clients.removeLast().reset()
    // Nobody is told when the server has noticed; each question is a turn of its loop.
    let clock = SystemClock()
    let end = clock.monotonicNow + .seconds(30)
    var status = 503
    while status == 503, clock.monotonicNow < end { status = try stage.get("/run/v1/live").status }
    #expect(status == 200)
  }

  /// The state after an act is not one from before it.
  @Test func aPauseIsSeenInTheNextState() throws {
    let stage = try RoomStage(RoomStage.text.replacing("10m", with: "400d"))
    defer { stage.stop() }
    try stage.waitForView()
    for _ in 0..<3 {
      #expect(try stage.post(#"{"resume":{}}"#).status == 200)
      let paused = try stage.post(#"{"pause":{}}"#).json()
      let state = try stage.get("/run/v1/state").json()
      #expect(state["isPaused"] == .bool(true))
      // The act has the first whole millisecond behind what has happened.
      let (act, shown) = (paused["atSeconds"]?.number ?? 0, state["atSeconds"]?.number ?? -1)
      #expect(shown <= act && act - shown <= 0.001_001, "\(shown) \(act)")
    }
  }

  /// In a second of a pause there is nothing, and the history has no sample of it.
  @Test func aPauseHasNoFigures() throws {
    let stage = try RoomStage(RoomStage.text.replacing("10m", with: "400d"), isHeld: false)
    defer { stage.stop() }
    let listener = try RoomListener(stage)
    try listener.read(until: "\"sample\":{")
    // At night its phones send nothing.
    repeat {
      #expect(try stage.post(#"{"resume":{}}"#).status == 200)
      #expect(try stage.post(#"{"pause":{}}"#).status == 200)
    } while stage.steering.view.map { $0.progress.uploadsPerSecond == 0 || $0.p50Milliseconds == nil } ?? true
    let (state, before) = (try stage.get("/run/v1/state").json(), try stage.get("/run/v1/history").json())
    #expect(state["isPaused"] == .bool(true) && (state["atSeconds"]?.number ?? 0) > 0)
    for name in ["uploadsPerSecond", "recordsPerSecond"] { #expect(state[name]?.number == 0, "\(name)") }
    for name in ["p50Milliseconds", "p95Milliseconds", "p99Milliseconds", "lagP99Milliseconds"] {
      #expect(state[name] == .null, "\(name)")
    }
    #expect(before["samples"]?.elements.last == state["sample"])
    // The state is told once a second: two more, and nothing has come to the history.
    for _ in 0..<2 { try RoomListener(stage).read(until: "\"isPaused\":true") }
    #expect(try stage.get("/run/v1/history").json() == before)
  }

  /// Also when its room closes at once.
  @Test func theEndIsTheLastThatIsTold() throws {
    let stage = try RoomStage()
    try stage.waitForView()
    let listener = try RoomListener(stage)
    try listener.read(until: "\"phase\":\"driving\"")
    stage.stop()
    try listener.read(until: "\"phase\":\"ended\"")
    #expect(listener.text.contains("\"stays\":false"))
  }

  /// What has ended can still be looked at, and nothing can be done to it.
  @Test func aRunThatIsOverStaysToBeLookedAt() throws {
    let stage = try RoomStage(isHeld: false)
    defer { stage.stop() }
    try RoomListener(stage).read(until: "\"phase\":\"ended\",")
    let report = try stage.get("/run/v1/report?format=json").json()
    #expect(report["scenario"]?["name"]?.string == "small")
    #expect(try stage.get("/run/v1/report").mediaType == "text/html")
    let early = try stage.get("/run/v1/at?instant=0").json()
    let late = try stage.get("/run/v1/at?instant=10m").json()
    #expect(early["atSeconds"] == .integer(0) || early["atSeconds"] == .double(0))
    #expect(early["place"] != late["place"])
    // What the recording knows of the whole.
    let (first, last) = (early["sums"]?["records"]?.number ?? 0, late["sums"]?["records"]?.number ?? 0)
    #expect(first < last && last > 0 && (late["sums"]?["uploads"]?.number ?? 0) > 0)
    let waiting = late["queue"]?.elements.reduce(0) { $0 + ($1.number ?? 0) }
    #expect(late["fleetFigures"]?.elements.count == 1 && late["fleetFigures"]?.elements[0]["queue"]?.number == waiting)
    // Drivers go somewhere.
    let headings = try stage.get("/run/v1/at?instant=5m").json()["heading"]?.elements ?? []
    #expect(headings.count == 4 && headings.contains { $0 != .null })
    #expect(try stage.get("/run/v1/phones/cars-0?instant=5m").json()["requests"]?.elements.isEmpty == false)
    let act = try stage.post(#"{"killApps":{"share":0}}"#)
    #expect(act.status == 409, "\(act.text)")
    #expect(try act.json()["error"]?["code"]?.string == "act_refused")
  }
}
