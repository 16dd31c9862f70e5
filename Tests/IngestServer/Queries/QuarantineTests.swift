import JSON
import Store
import Testing

@testable import IngestServer

/// What can be done with records that were put aside.
@Suite struct QuarantineTests {
  /// Two devices and a run, with records that are wrong in different ways.
  private func harness() throws -> SessionHarness {
    let harness = try SessionHarness()
    for (device, run, body) in [
      ("car", "", #"[{"lat":100,"lng":2},{"lng":3}]"#), ("bus", "", #"[{"lng":4}]"#), ("car", "one", #"[{"lng":5}]"#),
    ] {
      let answer = try harness.upload(body, [("X-Device-Id", device), ("X-Run-Id", run)])
      #expect(answer.status == 200)
    }
    return harness
  }

  private func records(_ harness: SessionHarness, _ query: String) throws -> [String] {
    let answer = try harness.request("GET", "/admin/v1/quarantine\(query)")
    guard case .array(let elements)? = try answer.json()["records"] else { throw NoAnswer(request: answer.text) }
    return elements.map { if case .string(let text)? = $0["record"] { text } else { "" } }
  }

  private func id(_ harness: SessionHarness, _ query: String) throws -> Int64 {
    let answer = try harness.request("GET", "/admin/v1/quarantine\(query)").json()
    guard case .array(let elements)? = answer["records"], case .integer(let id)? = elements.first?["id"] else {
      throw NoAnswer(request: query)
    }
    return id
  }

  /// What a device has put aside is its own: another one that sends nothing else takes no room from it.
  @Test func aFloodOfBadRecordsDeletesThoseOfItsDeviceAlone() throws {
    let harness = try SessionHarness()
    #expect(try harness.upload(#"[{"lng":0}]"#, [("X-Device-Id", "victim"), ("X-Run-Id", "one")]).status == 200)
    let room = StoreLimits().quarantinePerDevice
    let sent = room * 3
    for start in stride(from: 0, to: sent, by: 1_000) {
      let body = "[" + (start..<start + 1_000).map { #"{"lng":\#($0)}"# }.joined(separator: ",") + "]"
      #expect(try harness.upload(body, [("X-Device-Id", "flood"), ("X-Run-Id", "two")]).status == 200)
    }
    while harness.store.maintain(now: harness.now) {}
    #expect(try records(harness, "?run=one") == [#"{"lng":0}"#])
    let kept = try harness.reader.quarantineReasons(QuarantineSelection(run: "two")).reduce(0) { $0 + Int($1.count) }
    #expect((room..<room * 9 / 8 + 1_000).contains(kept), "\(kept)")
    #expect(try records(harness, "?run=two&limit=1") == [#"{"lng":\#(sent - 1)}"#], "the latest stay")
    #expect(
      try harness.request("GET", "/metrics").text.contains(
        "\nrollingroad_quarantine_crowded_out_total \(sent - kept)\n"))
  }

  @Test func allRunsAreListedUnlessOneIsNamed() throws {
    let harness = try harness()
    #expect(try records(harness, "") == [#"{"lng":5}"#, #"{"lng":4}"#, #"{"lng":3}"#, #"{"lat":100,"lng":2}"#])
    #expect(try records(harness, "?run=one") == [#"{"lng":5}"#])
    #expect(try records(harness, "?run=").count == 3)
  }

  @Test func deviceAndReasonAreConditions() throws {
    let harness = try harness()
    #expect(try records(harness, "?device=bus") == [#"{"lng":4}"#])
    #expect(try records(harness, "?reason=coordinateOutOfRange") == [#"{"lat":100,"lng":2}"#])
    #expect(try records(harness, "?device=car&run=&reason=missingCoordinate") == [#"{"lng":3}"#])
    let wrong = try harness.request("GET", "/admin/v1/quarantine?reason=missingCoordinates")
    #expect(wrong.status == 400 && wrong.text.contains("did you mean missingCoordinate?"))
  }

  @Test func reasonsAreCounted() throws {
    let harness = try harness()
    let path = "/admin/v1/quarantine/reasons"
    #expect(
      try harness.request("GET", path).text
        == #"{"records":4,"reasons":[{"reason":"coordinateOutOfRange","records":1},{"reason":"missingCoordinate","records":3}]}"#
    )
    #expect(
      try harness.request("GET", "\(path)?device=bus").text
        == #"{"records":1,"reasons":[{"reason":"missingCoordinate","records":1}]}"#)
  }

  @Test func oneRecordIsGivenAsItCame() throws {
    let harness = try SessionHarness()
    let odd = #"{ "lng" :3, "n":"ü" }"#
    #expect(try harness.upload("[\(odd)]").status == 200)
    let id = try id(harness, "")
    #expect(try harness.request("GET", "/admin/v1/quarantine/\(id)").text == odd)
    #expect(try harness.request("GET", "/r/one/admin/v1/quarantine/\(id)").status == 404)
    #expect(try harness.request("GET", "/admin/v1/quarantine/\(id + 1)").status == 404)
    #expect(try harness.request("GET", "/admin/v1/quarantine/x").status == 404)
  }

  @Test func oneIsDeletedOnce() throws {
    let harness = try harness()
    let id = try id(harness, "?device=bus")
    #expect(try harness.request("DELETE", "/admin/v1/quarantine/\(id)").text == #"{"deleted":1}"#)
    #expect(try harness.request("DELETE", "/admin/v1/quarantine/\(id)").status == 404)
    #expect(try records(harness, "").count == 3)
  }

  @Test func deletingTakesWhatTheListShows() throws {
    let harness = try harness()
    func delete(_ query: String) throws -> String {
      try harness.request("DELETE", "/admin/v1/quarantine\(query)").text
    }
    #expect(try delete("?reason=coordinateOutOfRange") == #"{"deleted":1}"#)
    #expect(try delete("?run=one") == #"{"deleted":1}"#)
    #expect(try records(harness, "") == [#"{"lng":4}"#, #"{"lng":3}"#])
    #expect(try delete("") == #"{"deleted":2}"#)
    #expect(try records(harness, "") == [])
    // What is sent again is put aside again.
    #expect(try harness.upload(#"[{"lng":4}]"#, [("X-Device-Id", "bus")]).json()["quarantined"] == .integer(1))
  }

  @Test func manyAreDeletedInSteps() throws {
    let harness = try SessionHarness()
    let body = "[" + (0..<2_500).map { "{\"lng\":\($0)}" }.joined(separator: ",") + "]"
    #expect(try harness.upload(body).json()["quarantined"] == .integer(2_500))
    harness.send(SessionHarness.bytes("DELETE", "/admin/v1/quarantine"), commits: false)
    for step in 1...3 {
      #expect(try harness.answer() == nil)
      harness.commit()
      let left = try harness.reader.quarantineReasons().reduce(0) { $0 + Int($1.count) }
      #expect(left == max(0, 2_500 - 1_000 * step))
    }
    #expect(try harness.answer()?.text == #"{"deleted":2500}"#)
  }
}
