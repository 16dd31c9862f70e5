import Base
import Scenario
import Testing

@testable import BackendStore
@testable import Conformance

/// Backends that do what the SDK allows in a way of their own.
@Suite struct OwnWaysTests {
  /// A command may be in any answer (SDK §10.1), so a backend may configure a new phone with its first one.
  @Test func aNewPhoneMayBeConfigured() throws {
    let verdict = try ScriptedBackend(.configuresNewPhones).verdict(on: "no-commands-unasked")
    guard case .kept(let note, _)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    #expect(note == "setConfig comes with the first answer")
  }

  /// Where nothing listens, there is nothing to propose.
  @Test func ofATargetThatDoesNotAnswerNothingIsProposed() throws {
    let dialect = try DialectReader().read("{ version: 1, path: '/points' }")
    #expect(DialectProposal(ConformanceTarget("http://127.0.0.1:1", dialect, adminToken: nil)).text == nil)
  }

  /// A word of the store's own for a flag is not judged.
  @Test(arguments: [
    (#""moving""#, true), ("true", false), ("0", false), (#""Y""#, false), (#""""#, false), ("null", false),
  ])
  func aFlagMayBeAWord(stored: String, isStrange: Bool) throws {
    let facts = try Self.facts(of: "{\"is_moving\":\(stored)}", for: #"{"is_moving":true}"#)
    #expect((facts.strange("is_moving") != nil) == isStrange)
  }

  private static func facts(of entry: String, for sent: String) throws -> RunFacts {
    let target = ConformanceTarget("http://127.0.0.1:1", try DialectReader().read("{ version: 1 }"), adminToken: nil)
    let facts = RunFacts(target)
    let record = SentRecord(
      uuid: UUID128(high: 1, low: 2), timestamp: WallInstant(millisecondsSince1970: 0), bytes: Array(sent.utf8))
    facts.noteFirst(StoredRecord(try #require(StoredValue(Array(entry.utf8))), fields: []), of: record)
    return facts
  }

  /// A level in percent is another form of the same value, and is not judged.
  @Test(arguments: [
    (#"{"battery":42}"#, true, false), (#"{"battery_level":42}"#, false, true),
    (#"{"battery_level":0.42}"#, false, false),
    (#"{"battery":7}"#, false, false),
  ])
  func aBatteryMayBeInPercent(entry: String, isHidden: Bool, isStrange: Bool) throws {
    let facts = try Self.facts(of: entry, for: #"{"battery":{"level":0.42,"is_charging":false}}"#)
    #expect((facts.hidden("battery.level") != nil) == isHidden)
    #expect((facts.strange("battery.level") != nil) == isStrange)
  }
}
