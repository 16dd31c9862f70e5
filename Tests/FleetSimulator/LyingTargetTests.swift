import AnswerCheck
import Base
import Contract
import CurlTransport
import Oracle
import Scenario
import Support
import Synchronization
import Testing
import World

@testable import FleetSimulator

/// Servers outside the run that lie in one way each, and what a run says of them.
@Suite struct LyingTargetTests {
  /// How the list of records is asked for.
  enum Question {
    case none, list, quarantine
  }

  private func run(
    _ backend: Backend, _ question: Question = .list, devices: Int = 3, _ edit: (inout RunSetup) -> Void = { _ in }
  ) throws -> RunReport {
    let server = try BareServer { backend.answer($0) }
    var configuration = Runs.configuration()
    configuration.http.maxBatchSize = 4
    configuration.http.autoSyncThreshold = 2
    var setup = Runs.setup(
      seed: 3, minutes: 3, Runs.drivers(devices, configuration: configuration, radio: .constant(.lte)))
    setup.outside = OutsideSetup(url: server.url + "locations")
    setup.outside?.factor = 300
    setup.outside?.headers = [Named(name: "X-Device", value: "${device.id}")]
    setup.settle = .seconds(60)
    if question != .none {
      setup.outside?.verification.url = "/list?device={device}"
      if question == .quarantine { setup.outside?.verification.quarantinedURL = "/aside?device={device}" }
    }
    edit(&setup)
    return try FleetRun(setup, to: RunDestination(of: setup) { try Runs.store() }, watchers: []).run()
  }

  /// Only what a terminal can show.
  @Test(arguments: [
    ("Server: nginx/1.22.1\r\n", "nginx/1.22.1"), ("server:  a\u{1B}[2Jb \r\n", "a[2Jb"), ("", nil),
  ])
  func aServerSaysWhatItIs(field: String, name: String?) throws {
    let server = try BareServer { _ in .keep(Array("HTTP/1.1 200 OK\r\n\(field)Content-Length: 2\r\n\r\n{}".utf8)) }
    var setup = Runs.setup(seed: 3, minutes: 2, Runs.drivers(1, radio: .constant(.lte)))
    setup.outside = OutsideSetup(url: server.url + "locations")
    setup.outside?.transport.keepsHeads = true
    setup.outside?.factor = 300
    let run = try FleetRun(setup, to: RunDestination(of: setup) { try Runs.store() }, watchers: [])
    _ = try run.run()
    #expect(run.serverName == name)
    #expect(try setup.outside?.askVersion() == nil)
  }

  private func summary(_ report: RunReport) -> RunSummary {
    var summary = RunSummary(
      scenario: "", scenarioHash: "", seed: 1, mode: "accelerated", product: "0",
      start: WallInstant(millisecondsSince1970: 0),
      duration: .zero, settle: .zero, fleets: [], ended: .zero, hash: "", timeline: Timeline(span: .seconds(1)))
    (summary.ledger, summary.verification, summary.findings) = (report.sums, report.verification, report.findings)
    summary.violations = report.violations.map(ViolationStory.init)
    summary.invariants = report.invariants.map { InvariantVerdict($0) }
    return summary
  }

  private func verdict(_ invariant: Invariant, _ report: RunReport) -> InvariantOutcome.Verdict? {
    report.invariants.first { $0.invariant == invariant }?.verdict
  }

  @Test func withoutAQuestionTheStoreIsNotJudged() throws {
    let report = try run(Backend(.keepsNothing), .none)
    #expect(report.verification.outcome == .notAsked && report.sums.unverified == report.sums.created)
    for invariant in [Invariant.ackedIsDurable, .noPhantom] {
      #expect(verdict(invariant, report) == .notJudged("storage not verified"))
    }
    #expect(summary(report).result == .passed && report.findings == [])
  }

  @Test func aServerThatKeepsNothingHasLostEverything() throws {
    let report = try run(Backend(.keepsNothing))
    #expect(report.sums.created > 10 && report.sums.lost == report.sums.created)
    #expect(summary(report).result == .violated)
    #expect(report.lossSentence?.contains("check the query of target.verify") == true)
  }

  @Test func theLostSayWhatTheyHaveInCommon() throws {
    let report = try run(Backend(.keepsFirstOfRequest))
    #expect(report.sums.lost > 3 && report.sums.stored > 3)
    let sentence = try #require(report.lossSentence)
    #expect(sentence.contains("all were not the first of their request"), "\(sentence)")
  }

  @Test func listsThatEndAtTheSamePlaceMayHavePages() throws {
    let report = try run(Backend(.listEnds, pageSize: 4)) { $0.outside?.lockstep = .modelled }
    let sentence = try #require(report.lossSentence)
    #expect(sentence.contains("each of the 3 devices that miss some lists 4: if its list has pages"), "\(sentence)")
    // In the time of the machine the lists may be of one length by chance.
    let others = try run(Backend(.keepsFirstOfRequest)) { $0.outside?.lockstep = .modelled }
    #expect(others.sums.lost > 3 && others.lossSentence?.contains("pages") == false, "\(others.lossSentence ?? "")")
  }

  @Test func theLostSayWhenTheyWereAcknowledgedAndThatWholeRequestsAreGone() throws {
    let report = try run(Backend(.forgetsRequests(4..<8))) { $0.outside?.lockstep = .modelled }
    #expect(report.sums.lost > 4 && report.sums.stored > 10, "\(report.sums)")
    let sentence = try #require(report.lossSentence)
    #expect(sentence.contains("all are in 4 requests, none of whose records is stored"), "\(sentence)")
    #expect(sentence.contains("all were acknowledged from 00:0"), "\(sentence)")
    #expect(report.lost.count == report.sums.lost && Set(report.lost.map(\.uuid)).count == report.sums.lost)
    #expect(Set(report.lost.map(\.request)).count <= 4 && report.lost.allSatisfy { $0.cause == .missing })
  }

  @Test func theLostSayHowLargeTheirRequestsWere() throws {
    let report = try run(Backend(.forgetsLargeRequests(4))) { setup in
      setup.outside?.lockstep = .modelled
      // What waits comes in larger requests.
      setup.faults = [.tunnel(60..<110)]
    }
    #expect(report.sums.lost > 2 && report.sums.stored > 2, "\(report.sums)")
    #expect(
      report.lossSentence?.contains("all were in requests of 4 or more records") == true,
      "\(report.lossSentence ?? "")")
  }

  @Test func aRecordUnderAWrongDeviceIsNamedAsThat() throws {
    let report = try run(Backend(.swapsDevices))
    #expect(report.sums.lost > 0 && report.lossSentence?.contains("are listed under another device") == true)
    #expect(report.sums.misplaced > 0 && report.sums.misplaced <= report.sums.lost)
    let violation = try #require(report.violations.first { $0.rule == .ackedIsDurable })
    #expect(violation.what.hasSuffix("stored under a wrong device"))
    #expect(violation.story.last?.hasPrefix("server: listed for another device, cars-") == true, "\(violation.story)")
    #expect(report.lost.contains { if case .elsewhere(let holder) = $0.cause { holder != $0.device } else { false } })
  }

  @Test func aRecordThatIsStoredTwiceIsAViolation() throws {
    let report = try run(Backend(.keepsTwice))
    #expect(report.sums.duplicateRows > 0 && report.sums.lost == 0 && summary(report).result == .violated)
  }

  @Test(arguments: [Backend.Lie.swapsCoordinates, .forgetsTimes])
  func aRecordThatWasChangedIsAViolation(lie: Backend.Lie) throws {
    let report = try run(Backend(lie))
    #expect(report.sums.changed == report.sums.created && report.verification.comparesContents)
    let word = lie == .swapsCoordinates ? "latitude" : "timestamp"
    #expect(report.violations.first?.what.contains("stored differently from what was sent: \(word)") == true)
    #expect(summary(report).result == .violated)
  }

  /// Half a position, or no time, is not all that there is to compare.
  @Test(arguments: [(Backend.Lie.hidesTimes, "timestamp"), (.hidesLatitudes, "latitude")])
  func whatNoEntryShowsIsNamed(lie: Backend.Lie, field: String) throws {
    let report = try run(Backend(lie))
    #expect(report.verification == Verification(.verified, comparesContents: true, uncompared: [field]))
    #expect(summary(report).result == .passed, "\(report.violations.map(\.what))")
  }

  /// What a store shows of other records, a record lacks.
  @Test(arguments: [Backend.Lie.forgetsPlaces, .keepsImpossiblePlaces])
  func aPlaceThatOnlySomeRecordsHaveIsAViolation(lie: Backend.Lie) throws {
    let backend = Backend(lie)
    let report = try run(backend)
    #expect(report.sums.changed == report.sums.created / 3 && report.sums.changed > 3, "\(report.sums)")
    let violation = try #require(report.violations.first { $0.rule == .ackedIsDurable })
    #expect(
      violation.what.contains("without latitude as sent, which the store shows for other records"), "\(violation.what)")
    #expect(verdict(.ackedIsDurable, report) == .violated(count: report.sums.changed))
    #expect(summary(report).result == .violated)
  }

  @Test func aRecordThatIsListedForTwoDevicesIsAViolation() throws {
    let report = try run(Backend(.keepsUnderTwo))
    #expect(report.sums.lost == 0 && report.sums.duplicateRows == (report.sums.created - 1) / 3, "\(report.sums)")
    let violation = try #require(report.violations.first { $0.rule == .noPhantom })
    #expect(violation.what.contains("for this device and for cars-"), "\(violation.what)")
    #expect(summary(report).result == .violated)
  }

  /// What is doubled there was so before.
  @Test func whatAnEarlierRunHasLeftIsNoViolation() throws {
    let report = try run(Backend(.hasOldRows))
    #expect(report.sums.duplicateRows == 0 && report.verification.unknownRows == 2, "\(report.verification)")
    #expect(summary(report).result == .passed, "\(report.violations.map(\.what))")
  }

  /// They were sent, by another device.
  @Test(arguments: [Backend.Lie.swapsDevices, .keepsUnderTwo])
  func whatIsMisfiledIsNotCalledUnknown(lie: Backend.Lie) throws {
    let report = try run(Backend(lie))
    #expect(report.sums.misplaced + report.sums.duplicateRows > 3, "\(report.sums)")
    #expect(report.verification.unknownRows == 0, "\(report.verification)")
  }

  @Test func aListOfAllDevicesForOneIsAMistake() throws {
    let report = try run(Backend(.listsAll))
    #expect(report.verification.outcome == .failed && report.sums.duplicateRows == 0, "\(report.verification)")
    #expect(report.verification.reason?.contains("it is not asked for one device") ?? false, "\(report.verification)")
  }

  @Test func aFieldThatIsNowhereIsAMistake() throws {
    let report = try run(Backend(.forgetsTimes)) { setup in
      setup.outside?.verification.fields = [Named(name: "timestamp", value: "$.recorded")]
    }
    #expect(report.verification.outcome == .failed, "\(report.verification)")
    #expect(
      report.verification.reason?.contains("verify.fields.timestamp finds nothing in any of") ?? false,
      "\(report.verification)")
  }

  /// It may be of an earlier run: the verdict says that it does not know.
  @Test func aRecordThatNoPhoneHasSentIsCounted() throws {
    let report = try run(Backend(.invents))
    #expect(report.verification.unknownRows == (report.sums.created - 1) / 3, "\(report.verification)")
    #expect(report.verification.unknownRows > 3 && summary(report).result == .passed)
  }

  @Test(arguments: [
    (Backend.Lie.listFails(500), "status 500"), (.listFails(401), "status 401"),
    (.listIsPage, "the answer is not JSON"),
    (.listIsElsewhere, "no entry has a uuid"), (.listIsCut, "Empty reply"),
    (.listHasNoUUIDs, "no entry has a uuid"),
  ])
  func aQuestionThatFailsMakesTheRunInvalid(lie: Backend.Lie, reason: String) throws {
    let report = try run(Backend(lie))
    #expect(report.verification.outcome == .failed)
    #expect(report.verification.reason?.contains(reason) == true, "\(report.verification)")
    #expect(summary(report).result == .invalid && report.sums.lost == 0)
  }

  @Test func pagesAndWhatWasQuarantinedAreNoLoss() throws {
    let paged = Backend(.honest, pageSize: 3)
    let report = try run(paged, .quarantine) { $0.duration = .seconds(300) }
    #expect(report.sums.created > 20 && report.sums.lost == 0 && report.violations == [], "\(report.violations)")
    #expect(
      report.sums.quarantined == paged.quarantined && paged.quarantined > 0, "\(report.sums), \(paged.quarantined)")
    #expect(report.verification == Verification(.verified, comparesContents: true) && summary(report).result == .passed)
    // Without the other list, an answer that counts them is enough.
    let counting = Backend(.honest, pageSize: 3, countsQuarantined: true)
    let counted = try run(counting)
    #expect(
      counted.sums.quarantined == counting.quarantined && counting.quarantined > 0 && counted.sums.lost == 0,
      "\(counted.sums), \(counting.quarantined)")
  }

  /// The answer's count is that of the list.
  @Test func whatIsListedAsQuarantinedExcusesNoOtherRecord() throws {
    let backend = Backend(.losesBesideQuarantined, countsQuarantined: true)
    let report = try run(backend, .quarantine)
    #expect(report.sums.lost > 3, "\(report.sums)")
    #expect(
      report.sums.quarantined == backend.quarantined && backend.quarantined > 3,
      "\(report.sums), \(backend.quarantined)")
    #expect(summary(report).result == .violated)
  }

  /// A server quarantines what the scenario has made invalid (SDK §9.5). Where it does not show those, nothing is known of them.
  @Test func whatWasMadeInvalidIsLostOnlyWhereAQuarantineIsShown() throws {
    var fault = DeviceFault()
    fault.poisonRecord = .missingCoords
    let faults = [Fault(name: "poison", start: .seconds(60), action: .device(fault))]
    let (right, wrong) = (Backend(.quarantinesInvalid), Backend(.losesInvalid))
    let shown = try run(right, .quarantine) { $0.faults = faults }
    #expect(shown.sums.quarantined == 3 && shown.sums.lost == 0 && summary(shown).result == .passed, "\(shown.sums)")
    let hidden = try run(Backend(.quarantinesInvalid)) { $0.faults = faults }
    #expect(hidden.sums.unverified == 3 && hidden.sums.lost == 0 && summary(hidden).result == .passed, "\(hidden.sums)")
    // A store may list those of its quarantine like others, with empty fields.
    let listed = try run(Backend(.honestOfInvalid)) { $0.faults = faults }
    #expect(listed.sums.stored == listed.sums.created && summary(listed).result == .passed, "\(listed.violations)")
    let lost = try run(wrong, .quarantine) { $0.faults = faults }
    #expect(lost.sums.lost == 3 && summary(lost).result == .violated, "\(lost.sums)")
  }

  /// All that the second run sends is there already: that it is kept this time is not shown by the store.
  @Test func whatAnEarlierRunHasLeftPassesForNoSuccess() throws {
    let backend = Backend(.honest)
    func report(seed: UInt64) throws -> RunReport {
      try run(backend, .quarantine) { setup in
        setup.seed = seed
        setup.outside?.lockstep = .modelled
      }
    }
    #expect(try report(seed: 3).violations == [])
    let leftover = try #require(throws: EarlierRun.Leftover.self) { try report(seed: 3) }
    #expect(leftover.device.hasPrefix("cars-") && "\(leftover)".contains("use another --seed, or empty the store"))
    #expect(try report(seed: 4).violations == [])
  }

  @Test func aPageInPlaceOfAnAnswerIsAViolationUnlessThereIsAPortal() throws {
    let report = try run(Backend(.login), .none)
    #expect(report.sums.misled == report.sums.created && report.remarks == [])
    #expect(report.violations.first?.rule == .ackedIsDurable && summary(report).result == .violated)
  }

  @Test func aServerThatStopsAllDevicesIsAFinding() throws {
    let report = try run(Backend(.stops), .none)
    #expect(report.findings.map(\.name) == [ServerFinding.stoppedByAnswers] && summary(report).result == .failed)
  }

  /// What is started again in the same answer was not stopped.
  @Test func aDeviceThatIsStartedAgainIsNotStopped() throws {
    let report = try run(Backend(.stopsAndStarts), .none) { $0.outside?.lockstep = .modelled }
    #expect(report.findings.isEmpty && report.sums.unverified > 20, "\(report.findings) \(report.sums)")
  }

  /// Its queues are empty as well: the phones have given up what it did not take.
  @Test func aServerThatHasTakenNothingIsAFindingWhenQueuesAreEmpty() throws {
    let report = try run(Backend(.fails), .none) { setup in
      // A day is as long as records are kept.
      setup.duration = .seconds(50 * 3_600)
      setup.fleets[0].configuration.geolocation.stopAfterElapsedMinutes = 5
      setup.outside?.lockstep = .modelled
      setup.settle = LyingTargetTests.briefSettle
    }
    #expect(report.sums.pending == 0 && report.sums.stored == 0, "\(report.sums)")
    #expect(report.findings.map(\.name).contains(ServerFinding.notDrained), "\(report.findings)")
  }

  /// In lockstep, where the devices' time waits for the server's however slow the machine is.
  @Test func anAnswerThatMakesTheNextUploadIsAStorm() throws {
    let report = try run(Backend(.storms), .none) { $0.outside?.lockstep = .modelled }
    #expect(report.findings.contains { $0.name == ServerFinding.uploadStorm && $0.isViolation }, "\(report.findings)")
    #expect(summary(report).result == .violated)
  }

  /// Where no queue drains, however long it has.
  private static let briefSettle = Nanoseconds.seconds(2)

  @Test func aFailedRegistrationIsReportedWithItsStatus() throws {
    let report = try run(Backend(.refusesRegistration), .none) { setup in
      var authorization = TargetAuthorization()
      authorization.strategy = .jwt
      setup.authorization = authorization
      setup.settle = LyingTargetTests.briefSettle
    }
    let finding = try #require(report.findings.first)
    #expect(finding.name == ServerFinding.registrationFailed && finding.text.contains("status 404"), "\(finding.text)")
    #expect(finding.text.contains("without one") && summary(report).result == .failed)
  }

  /// The phones broke no rule: the server is not good enough, and that is 99.
  @Test func aServerThatFailsAlwaysIsAFindingAndNoViolation() throws {
    let report = try run(Backend(.fails), .none) { $0.settle = LyingTargetTests.briefSettle }
    #expect(report.sums.pending == report.sums.created && report.violations == [])
    let finding = try #require(report.findings.first { $0.name == ServerFinding.notDrained })
    #expect(finding.text.contains("status 500") && summary(report).result == .failed, "\(finding.text)")
  }

  /// A phase that is shorter than the time between two attempts has two of them.
  @Test func aRefusalInAShortSettlePhaseIsMadeGood() throws {
    let report = try run(Backend(.refusesOnce), .none) { setup in
      setup.fleets[0].configuration.http.autoSync = false
      setup.outside?.lockstep = .modelled
      setup.settle = .seconds(15)
    }
    #expect(report.sums.created > 3 && report.sums.pending == 0, "\(report.sums)")
    #expect(report.findings.isEmpty && summary(report).result == .passed, "\(report.findings)")
  }

  @Test func aPlaceholderThatIsNoneIsSeenBeforeTheRun() throws {
    let text = """
      { version: 1, name: "x", clock: { mode: "realtime", duration: "10s" }, fleets: { cars: { devices: -1 } },
        target: { url: "http://127.0.0.1:1/up", verify: { url: "/list?device={devcie}", quarantinedUrl: "/{cursr}" } } }
      """
    // Beside whatever else is wrong.
    let error = try #require(throws: ScenarioErrors.self) {
      try ScenarioReader(overrides: [], variable: { _ in nil }).read(text)
    }
    let texts = error.all.map { $0.text(sources: ["x"]) }
    #expect(texts.count == 3, "\(texts)")
    #expect(texts.contains { $0.contains("target.verify.url: no placeholder '{devcie}'; did you mean '{device}'?") })
    #expect(texts.contains { $0.contains("no placeholder '{cursr}'; did you mean '{cursor}'?") }, "\(texts)")
  }

  @Test func linksToNextPagesAreUnderstood() {
    func next(_ link: String) -> String? {
      PageLink.next(in: AnswerHead([("link", link)]), from: "http://a.example/x/list?page=1")
    }
    #expect(next("</y?page=2>; rel=\"next\"") == "http://a.example/y?page=2")
    #expect(next("<?page=2>; rel=next") == "http://a.example/x/list?page=2")
    #expect(next("<b,c>; rel=\"prev\", <d>; title=\"x\"; rel=\"last next\"") == "http://a.example/x/d")
    #expect(next("<https://b.example/z>; REL=\"Next\"") == "https://b.example/z")
    #expect(next("<a>; rel=\"first\"") == nil)
  }
}
