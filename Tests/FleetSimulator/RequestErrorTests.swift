import Base
import JSON
import Scenario
import Support
import Synchronization
import Testing
import Upload

@testable import FleetSimulator

/// Requests that fail are told by name: how they ended, what was said of it, whose they were, how many, when, and one of them.
@Suite struct RequestErrorTests {
  private func watch(_ fleets: String, at url: String) throws -> (errors: ErrorWatch, report: RunReport) {
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(
      """
      { version: 1, name: "errors", seed: 3, fleets: { \(fleets) }, target: { url: "\(url)" },
        clock: { mode: "lockstep", latency: "modelled", duration: "6m", settle: "1m" },
        invariants: { onViolation: "continue" } }
      """
    ).scenario
    let setup = try RunSetup(scenario)
    let errors = ErrorWatch(setup)
    let destination = try RunDestination(of: setup) { try Runs.store() }
    return (errors, try FleetRun(setup, to: destination, watchers: [errors]).run())
  }

  private static let cars = #"cars: { devices: 2, motion: "driving", network: "lte" }"#
  private static let vans = #"vans: { devices: 1, motion: "driving", network: "lte" }"#

  private static func answer(_ status: Int, _ body: String) -> BareServer.Answer {
    .text("HTTP/1.1 \(status) Reason\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// `answer` gets the number of the request, from 1 on.
  private func server(_ answer: @escaping @Sendable (Int) -> BareServer.Answer) throws -> BareServer {
    let count = Mutex(0)
    return try BareServer { _ in
      answer(
        count.withLock { count in
          count += 1
          return count
        })
    }
  }

  @Test func aWrongPathIsOneErrorOfEachFleet() throws {
    let body = #"{"error":{"code":"not_found","message":"no such path"}}"#
    let server = try server { _ in Self.answer(404, body) }
    let url = server.url + "up"
    let (watch, report) = try watch(Self.cars + ", " + Self.vans, at: "http://me:s3same@" + url.dropFirst(7))
    let errors = watch.errors
    #expect(errors.map(\.fleet).sorted() == ["cars", "vans"], "\(errors)")
    #expect(errors.allSatisfy { $0.kind == "status 404" && $0.message == "no such path" && $0.purpose == "records" })
    #expect(errors.reduce(0) { $0 + $1.count } == server.requests.count && report.requests == server.requests.count)
    #expect(errors.allSatisfy { $0.sample.request == "POST \(url)" && $0.sample.body == body && $0.sample.records > 0 })
    #expect(errors.allSatisfy { $0.sample.device.hasPrefix($0.fleet) && $0.first < $0.last })
    #expect(errors[0].count >= errors[1].count, "the most frequent first")
    let question = try #require(watch.openingSentence)
    #expect(
      question.contains("first 10 uploads") && question.contains("404") && question.contains("is the path right?"))
    #expect(question.contains("POST \(url)"), "without the password, which is sent: \(question)")
    #expect(server.requests.allSatisfy { $0.values(of: "Authorization") == ["Basic bWU6czNzYW1l"] })
  }

  /// A message that names its record is no new kind of error each time.
  @Test func whatDiffersFromAnswerToAnswerMakesNoNewName() throws {
    let server = try server { number in
      Self.answer(422, "{\"message\":\"record 7f3c9a1e-0000-4000-8000-\(1_000_000 + number) is invalid\"}")
    }
    let errors = try watch(Self.cars, at: server.url + "up").errors.errors
    #expect(errors.map(\.message) == ["record … is invalid"], "\(errors)")
    #expect(errors[0].count == server.requests.count && errors[0].count > 10)
  }

  /// A server that says something else each time does not fill the memory.
  @Test func namesAreBounded() throws {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    let server = try server { number in
      Self.answer(500, String([letters[number / 676 % 26], letters[number / 26 % 26], letters[number % 26]]))
    }
    let fleet = #"cars: { devices: 12, motion: "driving", network: "lte" }"#
    let errors = try watch(fleet, at: server.url + "up").errors.errors
    #expect(server.requests.count > 101, "otherwise nothing is bounded")
    #expect(errors.count == 101 && errors.contains { $0.message == "(other messages)" && $0.count > 0 })
    #expect(errors.reduce(0) { $0 + $1.count } == server.requests.count)
  }

  /// Short numbers, of requests or ports, make a name each until there are many.
  @Test func shortNumbersDoNotFillTheNames() throws {
    let server = try server { number in Self.answer(500, "{\"error\":\"boom \(number % 1_000)\"}") }
    let fleet = #"cars: { devices: 12, motion: "driving", network: "lte" }"#
    let errors = try watch(fleet, at: server.url + "up").errors.errors
    #expect(server.requests.count > 150)
    #expect(errors.count == 51 && errors[0].message == "boom …", "\(errors.map(\.message))")
  }

  /// A page for people with a success: the device deletes what no server has taken (SDK §9.1).
  @Test func aLoginPageIsToldAtOnce() throws {
    let page = "<!DOCTYPE html><html><head><title>Sign in</title></head></html>"
    let server = try server { _ in .ok(page) }
    let watch = try watch(Self.cars, at: server.url + "up").errors
    #expect(server.requests.count > 10)
    let question = try #require(watch.openingSentence)
    #expect(question.contains("first 10 uploads") && question.contains("HTML page (Sign in)"), "\(question)")
    let mixed = try self.server { $0 == 3 ? .ok("{}") : .ok(page) }
    #expect(try self.watch(Self.cars, at: mixed.url + "up").errors.openingSentence == nil)
  }

  @Test func oneSuccessAmongTheFirstUploadsAsksNothing() throws {
    let server = try server { $0 == 4 ? .ok("{}") : Self.answer(503, "busy") }
    let errors = try watch(Self.cars, at: server.url + "up").errors
    #expect(errors.openingSentence == nil && errors.mostFrequent == "status 503")
    #expect(errors.failedUploads == server.requests.count - 1)
  }

  @Test func aServerThatIsNotThereIsNamed() throws {
    let url = try server { _ in .ok("{}") }.url + "up"
    let watch = try watch(Self.cars, at: url).errors
    #expect(watch.errors.map(\.kind) == ["connection refused"], "\(watch.errors)")
    #expect(watch.errors[0].sample.body.isEmpty)
    #expect(try #require(watch.openingSentence).contains("is the server running"))
  }

  @Test(arguments: [
    (#"{"detail":"too  late","status":400}"#, "too late"), (#"{"error":"denied"}"#, "denied"),
    ("<html><head><title>502 Bad Gateway</title></head></html>", "502 Bad Gateway"), ("<p>nothing", "Reason"),
    ("upstream timed out\nmore", "upstream timed out"), ("", "Reason"), (#"{"ok":false}"#, "Reason"),
    ("id 12345678 is unknown", "id … is unknown"),
  ])
  func aMessageIsWhatTheAnswerSays(body: String, message: String) {
    let outcome = ErrorMessage(of: .answered(status: 500, reason: "Reason", body: Array(body.utf8)))
    #expect(outcome.text == message)
  }

  /// A percentile lies where its value would among equally spaced ones, not in the middle of its step.
  @Test func percentilesOfATimelineAreInterpolated() throws {
    var spread = StepSpread.coarse
    for value in 1_024..<1_280 { spread.record(milliseconds: Double(value) / 1_000) }
    let (low, high) = (try #require(spread.percentile(10)), try #require(spread.percentile(90)))
    #expect((low - 1.050).magnitude < 0.002 && (high - 1.254).magnitude < 0.002, "\(low) \(high)")
  }
}
