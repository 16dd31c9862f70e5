import Base
import Scenario
import Support
import Synchronization
import Testing
import World

@testable import FleetSimulator

/// What a real server's answers have wrong for the SDK is remarked, and nothing else.
@Suite struct AnswerAuditTests {
  private func remarks(
    devices: Int = 2, faults: [Fault] = [], _ respond: @escaping @Sendable (BareServer.Request) -> BareServer.Answer
  ) throws -> [String] {
    let server = try BareServer(respond)
    var setup = Runs.setup(seed: 5, minutes: 5, faults: faults, Runs.drivers(devices, radio: .constant(.lte)))
    setup.outside = OutsideSetup(url: server.url + "locations")
    setup.outside?.preset = .traccar
    setup.outside?.lockstep = .measured
    let audit = AnswerAudit(setup)
    let destination = try RunDestination(of: setup) { try Runs.store() }
    let report = try FleetRun(setup, to: destination, watchers: [audit]).run()
    return audit.verdicts.sentences(requests: report.requests)
  }

  @Test func aSoundServerKeepsAllClauses() throws {
    let remarks = try remarks { _ in .ok("{}") }
    #expect(remarks.count == 1 && remarks[0].contains(" clauses kept in "), "\(remarks)")
    let sentence = try #require(remarks.first)
    let numbers = sentence.split { !$0.isNumber && $0 != "," }.compactMap { Int($0.filter { $0 != "," }) }
    #expect(sentence.contains(" checked answers to ") && numbers[1] <= numbers[2], "\(sentence)")
  }

  @Test func anUnknownCommandIsRemarkedAndCounted() throws {
    let remarks = try remarks { _ in .ok(#"{"background_geolocation":[["strat"]]}"#) }
    let unknown = try #require(remarks.first { $0.contains("strat") })
    #expect(unknown.contains("clause 27, is broken in "), "\(remarks)")
  }

  /// The first three uploads of a phone come to grief within two minutes.
  @Test(arguments: [true, false])
  func answersDuringAFaultAreNotJudged(isFault: Bool) throws {
    let fault = Fault(name: "edge", start: .zero, duration: .seconds(120), action: .network("lte"))
    let refusals = Mutex(3)
    let remarks = try remarks(devices: 1, faults: isFault ? [fault] : []) { request in
      let isRefused = refusals.withLock { left in
        defer { left -= 1 }
        return left > 0
      }
      return isRefused ? .text("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n") : .ok("{}")
    }
    #expect(remarks.contains { $0.contains("status 500") } == !isFault, "\(remarks)")
  }
}
