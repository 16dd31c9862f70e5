import Base
import JSON
import ServerSupport
import Support
import Synchronization
import Testing
import Threads

@testable import IngestServer

/// The figures of the last ten minutes.
@Suite struct FigureHistoryTests {
  private func samples(_ harness: SessionHarness) throws -> [JSONValue] {
    let answer = try harness.request("GET", "/admin/v1/history")
    guard case .array(let list)? = try answer.json()["samples"] else { throw NoAnswer(request: answer.text) }
    return list
  }

  private func upload(_ harness: SessionHarness, _ number: Int) throws {
    #expect(try harness.upload(Uploads.record(number), [("X-Device-Id", "a")]).status == 200)
  }

  /// Three uploads in one second, a quiet minute, one upload more.
  @Test func whatWasCountedStandsAtItsSecond() throws {
    let harness = try SessionHarness()
    let start = harness.now.millisecondsSince1970
    try upload(harness, 1)
    for number in 2...3 {
      harness.advance(milliseconds: 300)
      try upload(harness, number)
    }
    harness.advance(milliseconds: 59_400)
    try upload(harness, 4)
    harness.advance(seconds: 1)
    let samples = try samples(harness)
    let told = samples.map { [$0["at"], $0["accepted"]] }
    #expect(samples.count == 62, "one each second")
    #expect(told[0] == [.integer(start), .integer(0)])
    #expect(told[1] == [.integer(start + 1_000), .integer(3)])
    #expect(told[60] == [.integer(start + 60_000), .integer(3)])
    #expect(told[61] == [.integer(start + 61_000), .integer(4)])
  }

  @Test func theAnswerTimesAreThoseSinceTheSampleBefore() throws {
    let harness = try SessionHarness()
    for number in 1...2 {
      try upload(harness, number)
      harness.advance(seconds: 1)
    }
    let answers = try samples(harness).map { $0["answers"] }
    let one = JSONValue.array([.array([.integer(0), .integer(1)])])
    #expect(answers == [.array([]), one, one])
  }

  @Test func tenMinutesAreKeptAlsoOfASilence() throws {
    let harness = try SessionHarness()
    try upload(harness, 1)
    harness.advance(seconds: 5_000)
    let now = harness.now.millisecondsSince1970
    let samples = try samples(harness)
    #expect(samples.first?["at"] == .integer(now - 600_000) && samples.last?["at"] == .integer(now))
    #expect(samples.count == 601 && samples.allSatisfy { $0["accepted"] == .integer(1) })
    for number in 2...1_000 {
      harness.advance(seconds: 1)
      try upload(harness, number)
    }
    #expect(try self.samples(harness).count == 601)
  }

  @Test func aClockThatWasPutBackBeginsAnew() throws {
    let harness = try SessionHarness()
    try upload(harness, 1)
    harness.advance(seconds: -100)
    try upload(harness, 2)
    harness.advance(seconds: 1)
    #expect(try samples(harness).map { $0["accepted"] } == [.integer(1), .integer(2)])
  }

  /// Of one caller of many.
  @Test func aSecondIsTakenOnce() {
    let history = FigureHistory()
    #expect(history.isDue(at: 1_000) && !history.isDue(at: 1_000) && !history.isDue(at: 1_999))
    #expect(history.isDue(at: 2_000))
  }

  @Test func aLookTakesNoSample() throws {
    let harness = try SessionHarness()
    try upload(harness, 1)
    for _ in 0..<5 {
      harness.advance(milliseconds: 100)
      #expect(try samples(harness).count == 2, "the first, and what is true now")
    }
    harness.advance(milliseconds: 600)
    #expect(try samples(harness).count == 2)
  }

  @Test func aClockThatWasPutBackALittleKeepsThem() throws {
    let harness = try SessionHarness()
    for number in 0..<6 {
      try upload(harness, number)
      harness.advance(seconds: 1)
    }
    harness.advance(milliseconds: -1_050)
    #expect(try samples(harness).map { $0["accepted"] } == [0, 1, 2, 3, 4, 6].map { .integer($0) })
  }

  /// Several loops count while others tell what was counted.
  @Test func manyMayLookOnAtOnce() throws {
    let server = try IngestServer(.loopback(loops: 6))
    defer { server.stop() }
    let failures = Mutex<[String]>([])
    let clients = (0..<9).map { client in
      NamedThread.started("client") {
        do {
          for number in 0..<1_500 {
            let connection = try LoopbackClient(port: server.port)
            let close = [("Connection", "close")]
            try connection.send(
              client < 3
                ? SessionHarness.bytes(
                  "POST", "/locations/\(client)", close, body: Uploads.record(client * 10_000 + number))
                : SessionHarness.bytes("GET", "/admin/v1/history", close))
            let text = try connection.receiveToEnd().text
            if !text.hasPrefix("HTTP/1.1 200") { failures.withLock { $0.append(text) } }
          }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    for client in clients { client.join() }
    #expect(failures.withLock { $0 } == [])
  }
}
