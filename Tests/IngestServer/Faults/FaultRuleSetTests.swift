import Base
import Contract
import JSON
import Network
import Testing

@testable import IngestServer

/// Whom a rule meets: conditions, counts, draws, runs.
@Suite struct FaultRuleSetTests {
  private let noon = WallInstant(millisecondsSince1970: 1_785_240_000_000)

  private func rules(_ text: String, owner: String = "") throws -> [FaultRule] {
    try FaultRule.list(try JSONValue(parsing: text.utf8.span), owner: owner, .all)
  }

  private func plan(_ match: String, seed: Int = 1, owner: String = "") throws -> FaultRuleSet {
    var plan = FaultRuleSet()
    let text = #"{"faults":[{"id":"r","fault":{"kind":"drop"},"match":\#(match),"seed":\#(seed)}]}"#
    plan.replace(try rules(text, owner: owner), of: owner)
    return plan
  }

  private func refusal(_ rule: String, owner: String = "", _ reach: HandshakeFaultScope = .all) throws -> String? {
    let body = try JSONValue(parsing: #"{"faults":[\#(rule)]}"#.utf8.span)
    do throws(FieldError) { _ = try FaultRule.list(body, owner: owner, reach) } catch { return "\(error)" }
    return nil
  }

  /// What comes before there is a request cannot be told by what only a request says.
  @Test func aRuleForHandshakesMatchesWhatAHandshakeShows() throws {
    func rule(_ kind: String, _ match: String) -> String {
      #"{"id":"r","fault":\#(kind),"match":{\#(match)}}"#
    }
    let cut = #"{"kind":"cutHandshake"}"#
    for (key, value) in [("device", "a"), ("tag", "a"), ("run", "a"), ("operation", "uploadLocations")] {
      let said = try #require(try refusal(rule(cut, #""\#(key)":"\#(value)""#)))
      #expect(said.contains("faults[0].match.\(key)") && said.contains("match host"), "\(said)")
    }
    let ofRun = try #require(try refusal(rule(cut, ""), owner: "x"))
    #expect(ofRun.contains("outside of runs"), "\(ofRun)")
    #expect(try refusal(rule(cut, #""address":"phone""#))?.contains("faults[0].match.address") == true)
    for key in ["host", "address"] {
      let said = try #require(try refusal(rule(#"{"kind":"drop"}"#, #""\#(key)":"127.0.0.1""#)))
      #expect(said.contains("certificate, cutHandshake, slowHandshake only"), "\(said)")
    }
    #expect(try refusal(rule(#"{"kind":"certificate"}"#, ""))?.contains("faults[0].fault.problem") == true)
    let problem = try #require(try refusal(rule(#"{"kind":"certificate","problem":"old"}"#, "")))
    #expect(problem.contains("expired, notYetValid, wrongHost, unknownAuthority, revoked, changed"), "\(problem)")
    #expect(try refusal(rule(cut, ""), .none)?.contains("speaks no TLS") == true)
    let whole = #""host":"*.a.test","address":"::1","share":0.5,"count":2,"skip":1,"to":"2026-07-28T12:00:00.000Z""#
    #expect(try refusal(rule(#"{"kind":"slowHandshake","time":"3s"}"#, whole)) == nil)
  }

  /// Rules for requests and rules for handshakes are in one list, and do not see each other's.
  @Test func handshakesMeetTheirOwnRulesOnly() throws {
    var plan = FaultRuleSet()
    let text = #"""
      {"faults":[{"id":"r","fault":{"kind":"drop"}},
      {"id":"h","fault":{"kind":"slowHandshake","from":"1s","to":"3s"},"match":{"to":"2026-07-28T12:00:00.000Z","skip":1}}]}
      """#
    plan.replace(try rules(text), of: "")
    func meet(_ seconds: Int64) -> AppliedFault? {
      let at = noon.advanced(byMilliseconds: 1_000 * seconds)
      return plan.decide(FaultHandshake(host: nil, address: .v4(0x7F00_0001), at: at))
    }
    #expect(meet(0) == nil && meet(-1) == nil, "too late, and skipped")
    let met = try #require(meet(-1))
    #expect(met.rule == "h" && (Nanoseconds.seconds(1)...Nanoseconds.seconds(3)).contains(met.delay))
    #expect(plan.decide(request(), at: [.body, .answer])?.rule == "r")
    #expect(plan.entries.map(\.hits) == [1, 1])
  }

  private func request(_ device: String = "a", run: String = "", _ operation: DeviceOperation = .uploadLocations)
    -> FaultRequest
  {
    FaultRequest(operation: operation, run: run, device: device, at: noon)
  }

  private func draws(_ plan: inout FaultRuleSet, _ device: String, _ count: Int) -> [Bool] {
    (0..<count).map { _ in plan.decide(request(device), at: [.body, .answer]) != nil }
  }

  @Test func theSameSeedGivesTheSameFaults() throws {
    var first = try plan(#"{"share":0.3}"#)
    var second = try plan(#"{"share":0.3}"#)
    var other = try plan(#"{"share":0.3}"#, seed: 2)
    let decisions = draws(&first, "a", 500)
    #expect(decisions == draws(&second, "a", 500))
    #expect(decisions != draws(&other, "a", 500))
    // Six standard deviations around 150.
    #expect((88...212).contains(decisions.count { $0 }))
  }

  @Test func aRuleThatIsNotEnabledMeetsNothing() throws {
    var plan = FaultRuleSet()
    let text = #"{"faults":[{"id":"r","fault":{"kind":"drop"},"enabled":false}]}"#
    plan.replace(try rules(text), of: "")
    #expect(draws(&plan, "a", 3) == [false, false, false] && plan.entries[0].matched == 0)
  }

  @Test func countsAreKeptOfRulesThatSayWhatTheySaid() throws {
    func text(_ id: String, _ count: Int, _ rest: String = "") -> String {
      #"{"id":"\#(id)","fault":{"kind":"drop"},"match":{"device":"\#(id)","count":\#(count)}\#(rest)}"#
    }
    func list(_ elements: String...) throws -> [FaultRule] {
      try rules(#"{"faults":[\#(elements.joined(separator: ","))]}"#)
    }
    var plan = FaultRuleSet()
    plan.replace(try list(text("a", 2), text("b", 2)), of: "")
    for device in ["a", "b"] { #expect(draws(&plan, device, 2) == [true, true]) }
    plan.replace(try list(text("b", 3), text("a", 2, #","enabled":false"#)), of: "", keepsCounts: true)
    #expect(plan.entries.map(\.hits) == [0, 2] && draws(&plan, "a", 1) == [false])
    plan.replace(try list(text("a", 2)), of: "", keepsCounts: true)
    #expect(draws(&plan, "a", 1) == [false], "it has met what it was to meet")
    plan.replace(try list(text("a", 2)), of: "")
    #expect(draws(&plan, "a", 1) == [true])
  }

  @Test func theDrawsOfOneDeviceDoNotDependOnOthers() throws {
    var alone = try plan(#"{"share":0.5}"#)
    var together = try plan(#"{"share":0.5}"#)
    let expected = draws(&alone, "a", 100)
    let found = (0..<100).map { _ in
      _ = draws(&together, "b", 3)
      return draws(&together, "a", 1)[0]
    }
    #expect(found == expected)
  }

  @Test func skipAndCountBoundAWindow() throws {
    var plan = try plan(#"{"skip":2,"count":3}"#)
    #expect(draws(&plan, "a", 7) == [false, false, true, true, true, false, false])
    #expect(plan.entries[0].hits == 3 && plan.entries[0].matched == 7)
  }

  @Test func deviceAndOperationAreConditions() throws {
    var plan = try plan(#"{"device":"a","operation":"refreshToken"}"#)
    #expect(plan.decide(request("b", .refreshToken), at: [.body, .answer]) == nil)
    #expect(plan.decide(request("a", .uploadLocations), at: [.body, .answer]) == nil)
    #expect(plan.decide(request("a", .refreshToken), at: [.body, .answer]) != nil)
  }

  @Test func timeIsACondition() throws {
    var before = try plan(#"{"to":"2026-07-28T12:00:00.000Z"}"#)
    var after = try plan(#"{"from":"2026-07-28T12:00:00.000Z"}"#)
    #expect(before.decide(request(), at: [.body, .answer]) == nil)
    #expect(after.decide(request(), at: [.body, .answer]) != nil)
  }

  @Test func rulesOfOneRunLeaveTheOthersAlone() throws {
    var plan = try plan("{}", owner: "x")
    #expect(plan.decide(request(run: "y"), at: [.body, .answer]) == nil)
    #expect(plan.decide(request(run: ""), at: [.body, .answer]) == nil)
    #expect(plan.decide(request(run: "x"), at: [.body, .answer]) != nil)
    plan.replace([], of: "y")
    #expect(plan.decide(request(run: "x"), at: [.body, .answer]) != nil)
    plan.replace([], of: "x")
    #expect(plan.isEmpty)
  }

  @Test func aDelayIsDrawnFromItsRange() throws {
    var plan = FaultRuleSet()
    let text = #"{"faults":[{"id":"r","fault":{"kind":"delay","from":"100ms","to":"102ms"}}]}"#
    plan.replace(try rules(text), of: "")
    let delays = Set((0..<200).compactMap { _ in plan.decide(request(), at: [.body, .answer])?.delay })
    #expect(delays == [.milliseconds(100), .milliseconds(101), .milliseconds(102)])
  }

  @Test func theFirstRuleThatAppliesDecides() throws {
    var plan = FaultRuleSet()
    let text = """
      {"faults":[{"id":"1","fault":{"kind":"drop"},"match":{"count":1}},{"id":"2","fault":{"kind":"empty"}}]}
      """
    plan.replace(try rules(text), of: "")
    #expect(plan.decide(request(), at: [.body, .answer])?.rule == "1")
    #expect(plan.decide(request(), at: [.body, .answer])?.rule == "2")
  }

  @Test(arguments: [
    #"{"fault":[]}"#, #"{"faults":{}}"#, #"{"faults":[{"fault":{"kind":"drop"}}]}"#, #"{"faults":[{"id":"a"}]}"#,
    #"{"faults":[{"id":"a","fault":{"kind":"explode"}}]}"#,
    #"{"faults":[{"id":"a","fault":{"kind":"drop","bytes":1}}]}"#,
    #"{"faults":[{"id":"a","fault":{"kind":"drop"},"match":{"devise":"x"}}]}"#,
    #"{"faults":[{"id":"a","fault":{"kind":"drop"},"match":{"share":1.5}}]}"#,
    #"{"faults":[{"id":"a","fault":{"kind":"drop"},"match":{"operation":"putFaults"}}]}"#,
    #"{"faults":[{"id":"a","fault":{"kind":"delay"}}]}"#,
    #"{"faults":[{"id":"a","fault":{"kind":"delay","from":"2s","to":"1s"}}]}"#,
    #"{"faults":[{"id":"a","fault":{"kind":"drop"}},{"id":"a","fault":{"kind":"drop"}}]}"#,
  ])
  func aRuleThatMeansNothingIsRefused(text: String) throws {
    #expect(throws: FieldError.self) { try rules(text) }
  }

  /// The place is named, and what it must be.
  @Test(arguments: [
    (
      #""fault":{"kind":"drop"},"match":{"from":"2026-07-28T12:00:00Z","to":"2026-07-28T11:00:00Z"}"#,
      "faults[0].match.to must be later than from"
    ),
    (
      #""fault":{"kind":"cutHandshake"},"match":{"from":"2026-07-28T12:00:00Z","to":"2026-07-28T12:00:00Z"}"#,
      "faults[0].match.to must be later than from"
    ),
    (#""fault":{"kind":"drop"},"match":{"count":0}"#, "faults[0].match.count must be at least 1"),
    (#""fault":{"kind":"wrongLength","by":0}"#, "faults[0].fault.by must be other than 0"),
    (#""fault":{"kind":"delay","time":"1s","to":"2s"}"#, "faults[0].fault.to must be omitted when time is given"),
    (#""fault":{"kind":"delay","from":"1s"}"#, "faults[0].fault.to is missing"),
  ])
  func aRuleThatCanMeetNothingSaysWhy(rule: String, words: String) throws {
    do {
      _ = try rules("{\"faults\":[{\"id\":\"a\",\(rule)}]}")
      Issue.record("\(rule) was taken")
    } catch let error as FieldError {
      #expect(error.description.hasPrefix(words), "\(error)")
    }
  }

  @Test func aRunCannotReachIntoAnother() throws {
    let text = #"{"faults":[{"id":"a","fault":{"kind":"drop"},"match":{"run":"y"}}]}"#
    #expect(throws: FieldError.self) { try rules(text, owner: "x") }
    #expect(try rules(text)[0].match.run == "y")
  }
}
