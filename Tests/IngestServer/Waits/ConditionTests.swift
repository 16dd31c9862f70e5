import Base
import HTTP1
import JSON
import Store
import Testing

@testable import IngestServer

/// Waiting for content and for an order, in virtual time.
@Suite struct ConditionTests {
  private func wait(_ server: VirtualServer, _ body: String, run: String = "") -> VirtualClient {
    let client = server.connect()
    client.post("\(run.isEmpty ? "" : "/r/\(run)")/admin/v1/await", body)
    return client
  }

  private func upload(
    _ server: VirtualServer, _ number: Int, accuracy: Int = 5, event: String? = nil, to target: String = "/locations/a"
  ) {
    let record = Uploads.record(number, event: event).replacing("\"accuracy\":5", with: "\"accuracy\":\(accuracy)")
    server.connect().post(target, record)
  }

  private func reasons(_ answer: TestAnswer?) throws -> [String] {
    guard case .array(let list)? = try answer?.json()["error"]?["detail"]?["reasons"] else { return [] }
    return list.compactMap { if case .string(let text)? = $0["message"] { text } else { nil } }
  }

  private let accurate = #""where":[{"path":"$.coords.accuracy","atMost":10}]"#

  @Test func onlyRecordsThatFitCount() throws {
    let server = try VirtualServer()
    upload(server, 0)
    upload(server, 1, accuracy: 65)
    #expect(try wait(server, "{\(accurate)}").answer()?.json()["found"] == .integer(1))
    let two = wait(server, #"{\#(accurate),"atLeast":2}"#)
    upload(server, 2, accuracy: 65)
    #expect(two.received == [])
    server.commits = false
    upload(server, 3)
    #expect(two.received == [], "a record counts when it is on disk")
    server.commits = true
    server.settle()
    let answer = try two.answer()
    #expect(answer?.status == 200)
    guard case .array(let matches)? = try answer?.json()["matches"] else { throw NoAnswer(request: "matches") }
    #expect(matches.map { $0["uuid"] } == [.string(Uploads.uuid(0)), .string(Uploads.uuid(3))])
  }

  @Test(arguments: [
    (#"{"path":"coords.accuracy","equals":5.0}"#, true), (#"{"path":"$.coords.accuracy","not":5}"#, false),
    (#"{"path":"$.coords.accuracy","in":[1,5]}"#, true), (#"{"path":"$.coords.accuracy","above":5}"#, false),
    (#"{"path":"$.coords.accuracy","atLeast":5,"below":6}"#, true), (#"{"path":"$.coords.accuracy","below":5}"#, false),
    (#"{"path":"$.timestamp","above":"2026-07-28T17:59:59Z"}"#, true),
    (#"{"path":"$.timestamp","below":"2026-07-28T18:00:00Z"}"#, false),
    (#"{"path":"$.uuid","matches":"^0+-0000-4000-"}"#, true), (#"{"path":"$.uuid","matches":"^[1-9]"}"#, false),
    (#"{"path":"$.uuid","contains":"-4000-"}"#, true), (#"{"path":"$.coords","contains":"latitude"}"#, true),
    (#"{"path":"$.event","exists":false}"#, true), (#"{"path":"$.event","exists":true}"#, false),
    (#"{"path":"$.event","not":"x"}"#, true),
    (#"{"path":"$.event","not":"x","exists":true}"#, false), (#"{"path":"$.event","equals":null}"#, false),
    (#"{"path":"$.coords.*","equals":-73.5}"#, true),
    (#"{"path":"$.coords.accuracy","above":"2026-07-28T17:59:59Z"}"#, false),
  ])
  func everyComparisonDecides(condition: String, holds: Bool) throws {
    let server = try VirtualServer()
    upload(server, 0)
    let answer = try server.connect().request("POST", "/admin/v1/verify", body: #"{"where":[\#(condition)]}"#)
    #expect(answer.status == (holds ? 200 : 409), "\(answer.text)")
  }

  @Test func aDuplicateCountsOnceWheneverItComes() throws {
    let server = try VirtualServer()
    upload(server, 0)
    let two = wait(server, #"{\#(accurate),"atLeast":2,"timeout":"1s"}"#)
    upload(server, 0)
    #expect(two.received == [])
    // The one that is stored decides, not the one that came again.
    let coarse = wait(server, #"{"where":[{"path":"$.coords.accuracy","equals":65}],"timeout":"1s"}"#)
    upload(server, 0, accuracy: 65)
    server.advance(milliseconds: 1_000)
    #expect(try two.answer()?.status == 408 && coarse.answer()?.status == 408)
  }

  @Test func stepsAreMetInTheirOrder() throws {
    let server = try VirtualServer()
    let body = #"{"inOrder":[{"event":"motionchange"},{"event":"geofence","atLeast":2},{"event":"heartbeat"}]}"#
    upload(server, 0, event: "heartbeat")
    upload(server, 1, event: "geofence")
    let waiting = wait(server, body)
    for (number, event) in ["motionchange", "geofence", "heartbeat", "geofence"].enumerated() {
      server.advance(milliseconds: 1)
      upload(server, number + 2, event: event)
      #expect(waiting.received == [], "\(event)")
    }
    server.advance(milliseconds: 1)
    upload(server, 6, event: "heartbeat")
    let answer = try waiting.answer()
    #expect(answer?.status == 200)
    guard case .array(let steps)? = try answer?.json()["steps"] else { throw NoAnswer(request: "steps") }
    #expect(steps.map { $0["found"] } == [.integer(1), .integer(2), .integer(1)])
    // All of it is stored by now.
    let check = try server.connect().request("POST", "/admin/v1/verify", body: body)
    #expect(check.status == 200, "\(check.text)")
    let reversed = #"{"inOrder":[{"event":"heartbeat","atLeast":3},{"event":"motionchange"}]}"#
    let broken = try server.connect().request("POST", "/admin/v1/verify", body: reversed)
    #expect(
      broken.status == 409 && broken.text.contains("step 2 of 2: 0 records fit, expected at least 1"), "\(broken.text)")
  }

  @Test func whatCameBeforeItsStepIsTold() throws {
    let server = try VirtualServer()
    for (number, event) in ["geofence", "geofence", "motionchange"].enumerated() {
      upload(server, number, event: event)
      server.advance(milliseconds: 400)
    }
    let waiting = wait(server, #"{"inOrder":[{"event":"motionchange"},{"event":"geofence"}],"timeout":"1s"}"#)
    server.advance(milliseconds: 1_000)
    let answer = try waiting.answer()
    #expect(answer?.status == 408)
    #expect(try reasons(answer).first == "1 record came before step 1 was met, the last 0.8 s before")
    // What never came is not told so.
    let other = try server.connect().request(
      "POST", "/admin/v1/verify", body: #"{"inOrder":[{"event":"motionchange"},{"event":"heartbeat"}]}"#)
    #expect(other.status == 409 && !other.text.contains("before step"), "\(other.text)")
  }

  /// Records of one request came in their own order.
  @Test func oneBatchHasAnOrder() throws {
    let server = try VirtualServer()
    let records = [("geofence", 0), ("motionchange", 1), ("geofence", 2)].map { Uploads.record($0.1, event: $0.0) }
    server.connect().post("/locations/a", "[\(records.joined(separator: ","))]")
    func verify(_ events: [String]) throws -> Int {
      let steps = events.map { #"{"event":"\#($0)"}"# }.joined(separator: ",")
      return try server.connect().request("POST", "/admin/v1/verify", body: #"{"inOrder":[\#(steps)]}"#).status
    }
    #expect(try verify(["geofence", "motionchange", "geofence"]) == 200)
    #expect(try verify(["motionchange", "motionchange"]) == 409)
    #expect(try verify(["geofence", "geofence", "geofence"]) == 409)
    #expect(try verify(["geofence", "geofence", "motionchange"]) == 409)
  }

  @Test func nothingMoreMayComeWhileItHolds() throws {
    let server = try VirtualServer()
    upload(server, 0)
    let body = #"{\#(accurate),"exactly":1,"holds":"2s"}"#
    let quiet = wait(server, body)
    server.advance(milliseconds: 1_999)
    #expect(quiet.received == [])
    server.advance(milliseconds: 1)
    #expect(try quiet.answer()?.status == 200)
    let disturbed = wait(server, body)
    server.advance(milliseconds: 1_900)
    upload(server, 1, accuracy: 65)
    #expect(disturbed.received == [], "that one does not fit")
    upload(server, 2)
    let answer = try disturbed.answer()
    #expect(answer?.status == 409)
    #expect(answer?.text.contains("2 records or more fit, expected exactly 1") == true, "\(answer?.text ?? "")")
  }

  /// A busy reader answers after the instant at which the wait would have been decided.
  @Test(arguments: [
    (#"{"exactly":1,"holds":"2s","timeout":"1h"}"#, 200), (#"{"atLeast":2,"timeout":"2s"}"#, 408),
    (#"{"atLeast":2,"timeout":"2s","grace":"3s"}"#, 408),
  ])
  func aSlowLookDelaysTheAnswerByNoMoreThanItself(condition: String, status: Int) throws {
    let server = try VirtualServer()
    upload(server, 0)
    let waiting = wait(server, condition.replacing("{", with: "{\(accurate),", maxReplacements: 1))
    server.advance(milliseconds: 1_900)
    server.answersQuestions = false
    upload(server, 1, accuracy: 65)
    server.advance(milliseconds: 8_000)
    #expect(waiting.received == [])
    server.answersQuestions = true
    server.settle()
    #expect(try waiting.answer()?.status == status)
  }

  @Test func aStepHasATimeOfItsOwn() throws {
    let server = try VirtualServer()
    let body =
      #"{"inOrder":[{"event":"motionchange"},{"event":"geofence","within":"1s"}],"since":"now","timeout":"10s","grace":"1s"}"#
    let waiting = wait(server, body)
    server.advance(milliseconds: 3_000)
    upload(server, 0, event: "motionchange")
    server.advance(milliseconds: 1_400)
    upload(server, 1, event: "geofence")
    let answer = try waiting.answer()
    #expect(answer?.status == 408)
    #expect(try reasons(answer).first == "came 0.4 s after the 1.0 s within which it was expected")
  }

  @Test func whatComesTooLateIsTold() throws {
    let server = try VirtualServer()
    let patient = wait(server, #"{\#(accurate),"timeout":"1s","grace":"2s"}"#)
    let strict = wait(server, #"{\#(accurate),"timeout":"1s"}"#)
    server.advance(milliseconds: 1_000)
    #expect(try strict.answer()?.status == 408)
    #expect(patient.received == [])
    server.advance(milliseconds: 400)
    upload(server, 0)
    let answer = try patient.answer()
    #expect(answer?.status == 408)
    #expect(try reasons(answer).first == "came 0.4 s after the time-out")
    #expect(answer?.text.contains("expected at least 1, after 1.0 s; came 0.4 s after the time-out") == true)
    let never = wait(server, #"{"where":[{"path":"$.x","exists":true}],"timeout":"1s","grace":"2s"}"#)
    server.advance(milliseconds: 3_000)
    let refusal = try never.answer()
    #expect(refusal?.status == 408)
    #expect(refusal?.text.contains("expected at least 1, after 1.0 s") == true, "\(refusal?.text ?? "")")
  }

  /// Read without its conditions, such a body would hold.
  @Test(arguments: [
    #""where":[{"path":"$.coords.accuracy","equals":12345678901234567890}]"#,
    #""where":[{"path":"$.coords.accuracy","above":98,"above":99}]"#,
    #""of":"requests","of":"requests","status":"5xx""#,
  ])
  func conditionsThatCannotBeReadAreNotLeftOut(conditions: String) throws {
    let server = try VirtualServer()
    upload(server, 0)
    for path in ["verify", "await"] {
      let answer = try server.connect().request("POST", "/admin/v1/\(path)", body: #"{\#(conditions),"exactly":1}"#)
      #expect(answer.status == 400, "\(answer.text)")
    }
  }

  @Test func aRecordThatIsTooDeepIsNoneOfThoseWithout() throws {
    let server = try VirtualServer()
    let depth = 40
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    server.connect().post(
      "/locations/a", Uploads.record(0).replacing(#""accuracy":5"#, with: #""accuracy":5,"x":\#(deep)"#))
    let none = #"{"where":[{"path":"$.coords.accuracy","exists":true}],"exactly":0}"#
    let answer = try server.connect().request("POST", "/admin/v1/verify", body: none)
    #expect(answer.status == 409 && answer.text.contains("more than 32 objects and lists"), "\(answer.text)")
    #expect(try answer.errorCode == "record_too_deep")
    // What is not looked into decides nothing.
    #expect(try server.connect().request("POST", "/admin/v1/verify", body: #"{"exactly":1}"#).status == 200)
  }

  @Test func integersAreComparedExactly() throws {
    let server = try VirtualServer()
    server.connect().post(
      "/locations/a", Uploads.record(0).replacing(#""accuracy":5"#, with: #""accuracy":9007199254740993"#))
    let above = #"{"where":[{"path":"$.coords.accuracy","above":9007199254740992}]}"#
    #expect(try server.connect().request("POST", "/admin/v1/verify", body: above).status == 200)
  }

  @Test func aCountThatIsCutSaysSo() throws {
    let server = try VirtualServer()
    server.connect().post("/locations/b", Uploads.batch(0..<2_100))
    let waiting = wait(server, #"{"device":"a",\#(accurate),"timeout":"1ms"}"#)
    server.advance(milliseconds: 1)
    let told = try reasons(waiting.answer())
    #expect(told.first == "at least 2048 records under device b", "\(told)")
  }

  @Test func noUUIDsAreNotAnyRecord() throws {
    let server = try VirtualServer()
    let answer = try server.connect().request("POST", "/admin/v1/await", body: #"{"uuids":[]}"#)
    #expect(answer.status == 400 && answer.text.contains("1 to 100000 uuids"), "\(answer.text)")
  }

  @Test func whatIsElsewhereIsTold() throws {
    let server = try VirtualServer()
    upload(server, 0, to: "/r/one/locations/phone-2")
    upload(server, 1, accuracy: 65, to: "/r/one/locations/phone-1")
    upload(server, 2, to: "/r/two/locations/phone-1")
    let waiting = wait(server, #"{"device":"phone-1",\#(accurate),"timeout":"1ms"}"#, run: "one")
    server.advance(milliseconds: 1)
    let told = try reasons(waiting.answer())
    #expect(
      told == [
        "1 record under device phone-2", "1 record of phone-1 in run two",
        "nearest: record \(Uploads.uuid(1)) of phone-1: $.coords.accuracy is 65, expected at most 10",
      ])
  }

  @Test func whatIsPutAsideAndRefusedIsTold() throws {
    let server = try VirtualServer()
    server.connect().post("/locations/a", "[7]")
    let rule = #"{"faults":[{"id":"3","fault":{"kind":"status","status":503},"match":{"device":"a"}}]}"#
    #expect(try server.connect().request("PUT", "/admin/v1/faults", body: rule).status == 200)
    upload(server, 0)
    let check = try server.connect().request("POST", "/admin/v1/verify", body: #"{"device":"a",\#(accurate)}"#)
    let told = try reasons(check)
    #expect(told.contains("1 upload of a matched the fault rule 3 (status) and got 503"), "\(told)")
    #expect(told.contains("1 record quarantined: arrayWithoutSchema; see GET quarantine"), "\(told)")
  }

  /// What is nearest has the fewest differences.
  @Test func theNearestStandsFirst() throws {
    let server = try VirtualServer()
    for (number, accuracy) in [5, 65, 5].enumerated() {
      upload(server, number, accuracy: accuracy, event: number == 0 ? "geofence" : nil)
    }
    let body = #"{\#(accurate),"event":"geofence","atLeast":2}"#
    let check = try server.connect().request("POST", "/admin/v1/verify", body: body)
    let nearest = try reasons(check).filter { $0.hasPrefix("nearest") }
    #expect(
      nearest == [
        "nearest: record \(Uploads.uuid(2)) of a: event is none, expected geofence",
        "nearest: record \(Uploads.uuid(1)) of a: event is none, expected geofence, $.coords.accuracy is 65, expected at most 10",
      ])
  }

  /// A wait costs no more memory than its bounds: what it could not keep is read from the store.
  @Test func moreThanCanBeKeptIsReadFromTheStore() throws {
    let server = try VirtualServer()
    let count = WatchTable.batchesMax + 50
    let waiting = wait(server, #"{\#(accurate),"atLeast":\#(count)}"#)
    server.commits = false
    for number in 0..<count { upload(server, number) }
    server.commits = true
    server.settle()
    #expect(try waiting.answer()?.json()["found"] == .integer(Int64(count)))
  }

  /// What happens in other runs, and at other devices, wakes no waiter.
  @Test func aBatchThatConcernsNoWaiterIsNotKept() {
    var table = WatchTable()
    let watch = WatchTable.Watch(
      id: 1, address: SessionAddress(loop: 0, connection: 1), device: "a", kinds: [.records])
    table.add(watch, run: "one")
    var messages: [EventHub.Message] = []
    for (run, name, isTold) in [("two", "a", false), ("one", "b", false), ("one", "a", true)] {
      table.note(.ingest(.one(run, name)), .ingested(.init(accepted: 1)), &messages)
      #expect(messages.isEmpty != isTold, "\(run) \(name)")
    }
    table.note(.ingest(.one("one", "a")), .ingested(.init(accepted: 1)), &messages)
    #expect(messages.count == 1, "it is told once")
    #expect(table.collect(1, run: "one").batches.count == 2 && table.collect(1, run: "one").batches.isEmpty)
    table.note(.ingest(.one("one", "a")), .ingested(.init(accepted: 1)), &messages)
    #expect(messages.count == 2)
    table.remove(1, run: "one")
    #expect(table.count == 0)
  }

  @Test func waitersAreBoundedAndGivenBack() throws {
    let server = try VirtualServer()
    for _ in 0..<EventHub.waitersMax { _ = wait(server, #"{\#(accurate)}"#) }
    #expect(try wait(server, #"{\#(accurate)}"#).answer()?.status == 503)
    #expect(try wait(server, #"{"count":9}"#).answer()?.status == 503, "the bound is one for all")
    server.clients[0].vanish()
    #expect(try wait(server, #"{\#(accurate)}"#).answer() == nil)
    server.clients[1].drain()
    #expect(try server.clients[1].answer()?.status == 503)
  }

  @Test(arguments: [
    (#"{"wher":[]}"#, #""wher: unknown key; did you mean where?""#), (#"{"of":"record"}"#, "did you mean records?"),
    (#"{"where":[{"path":"$..a","equals":1}]}"#, "where[0].path must be a path"),
    (#"{"where":[{"path":"$.a"}]}"#, "where[0] must be"),
    (#"{"where":[{"path":"$.a","matches":"("}]}"#, "a ) is missing at character 2"),
    (#"{"where":{}}"#, "where must be a list"),
    (#"{"where":[{"path":"$.a","abov":1}]}"#, "did you mean above?"),
    (#"{"where":[{"path":"$.a","above":"x"}]}"#, "where[0].above must be"),
    (#"{"of":"requests","event":"x"}"#, "event must be omitted"),
    (#"{"of":"requests","operation":"upload"}"#, "operation must be one of"),
    (#"{"of":"requests","status":"6xx"}"#, "a class such as"),
    (#"{"of":"commands","state":"delivred"}"#, "did you mean delivered?"),
    (#"{"uuids":[],"where":[]}"#, "uuids must be omitted"), (#"{"inOrder":[]}"#, "inOrder must be a list"),
    (#"{"inOrder":[{}],"event":"x"}"#, "event must be in the elements"),
    (#"{"inOrder":[{"exactly":0},{}]}"#, "inOrder[0].holds must be given"),
    (#"{"holds":"3s","timeout":"1s"}"#, "timeout must be at least as long"),
    (#"{"since":"yesterday"}"#, "since must be start"),
    (#"{"where":[],"atLeast":2000000}"#, "at most 100000"), (#"{"within":"1s","where":[]}"#, "within: unknown key"),
  ])
  func whatIsWrongIsToldWithItsPlace(body: String, words: String) throws {
    let answer = try #require(try wait(VirtualServer(), body).answer())
    #expect(answer.status == 400 && answer.text.contains(words), "\(answer.text)")
  }

  @Test func requestsNeedAJournal() throws {
    let answer = try wait(VirtualServer(), #"{"of":"requests"}"#).answer()
    #expect(answer?.status == 404 && answer?.text.contains("journal_off") == true)
  }
}

extension IngestBatch {
  fileprivate static func one(_ run: String, _ name: String) -> IngestBatch {
    IngestBatch(
      device: DeviceIdentity(run: run, name: name), receivedAt: WallInstant(millisecondsSince1970: 0),
      bytes: Array("{}".utf8), points: [Point(recordedAt: 0, uuid: UUID128(high: 0, low: 1), record: 0..<2)])
  }
}
