import Base
import Contract
import JSON
import Oracle
import Testing
import World

@testable import FleetSimulator
@testable import Scenario

/// What goes wrong between a device and its server: the uploader keeps what it has to, and nothing storms.
@Suite struct LinkFaultTests {
  private func run(
    _ action: FaultAction, seconds: ClosedRange<Int64> = 120...240, radio: RadioModel = .constant(.lte)
  ) throws -> (RunReport, SeenEvents) {
    let fault = Fault(
      name: "fault", start: .seconds(seconds.lowerBound),
      duration: .seconds(seconds.upperBound - seconds.lowerBound), action: action)
    return try Runs.watch(
      Runs.setup(seed: 31, minutes: 5, faults: [fault], Runs.drivers(2, radio: radio)))
  }

  private func toxic(
    _ effect: ToxicEffect, _ stream: ToxicStream = .downstream, _ phase: ToxicPhase? = nil, toxicity: Double = 1
  ) -> FaultAction {
    .toxic(Toxic(effect: effect, stream: stream, toxicity: toxicity, phase: phase))
  }

  @Test func oneConnectionServesManyRequests() throws {
    let run = try FleetRun(
      Runs.setup(seed: 3, Runs.drivers(1, radio: .constant(.wifi))),
      store: Runs.store(), watchers: [])
    let report = try run.run()
    // A drive with a record every few seconds never lets the connection rest for a minute, but at its lights.
    #expect(run.connections * 4 < report.requests && run.connections >= 1)
  }

  @Test(arguments: [301, 400, 404, 413, 429, 500, 503])
  func aStatusThatIsNoSuccessCostsTimeAndNoRecord(status: Int) throws {
    var http = HTTPFault()
    http.abort = HTTPAbort(status: status)
    let (report, seen) = try run(.http(http))
    #expect(report.isRight && report.violations == [])
    let during = seen.outcomes(from: 121, to: 240)
    #expect(during.count > 5 && during.allSatisfy { $0 == status })
    // No hot loop: at most a request for each record that is made meanwhile.
    #expect(during.count <= 2 * seen.inserts(from: 110, to: 240) + 10)
    #expect(seen.outcomes(from: 242, to: 300).allSatisfy { $0 == 200 })
  }

  /// SDK §10.3: commands count whatever the status.
  @Test(arguments: [403, 503])
  func aRefusalMayHaveCommands(status: Int) throws {
    var http = HTTPFault()
    http.abort = HTTPAbort(status: status)
    http.abort?.body = #"{"background_geolocation":[["resetOdometer"]]}"#
    let (report, seen) = try run(.http(http))
    #expect(report.isRight && report.violations == [])
    #expect(report.invariants.first { $0.invariant == .remoteCommands }?.verdict == .held)
    #expect(seen.outcomes(from: 121, to: 240).contains(status))
  }

  @Test func aConditionChoosesRequests() throws {
    var http = HTTPFault()
    http.abort = HTTPAbort(status: 413, when: "request.records > 1")
    let (report, seen) = try run(.http(http))
    #expect(report.isRight)
    let statuses = Set(seen.outcomes(from: 121, to: 240))
    #expect(statuses.contains(200))
  }

  @Test func aLateAnswerIsWaitedForWithinReason() throws {
    var http = HTTPFault()
    http.delay = HTTPDelay(.seconds(20))
    let (report, seen) = try run(.http(http))
    #expect(report.isRight)
    #expect(seen.longest(from: 120, to: 240) > 20)
    // Until the first flush that is late as a whole meets its watchdog.
    #expect(seen.outcomes(from: 120, to: 185).allSatisfy { $0 == 200 })
    http.delay = HTTPDelay(.seconds(100))
    let (tooLate, seenTooLate) = try run(.http(http))
    #expect(tooLate.isRight)
    #expect(seenTooLate.outcomes(from: 181, to: 240).allSatisfy { $0 == 0 })
  }

  /// Answers that are wrong in a way that keeps the record with the device, or has it stored.
  @Test(arguments: [
    AnswerFault.redirect, .empty, .malformed, .drop, .half, .tooLong, .tooShort, .reset, .dribble, .late,
  ])
  func aBadAnswerLosesNothing(kind: AnswerFault) throws {
    var http = HTTPFault()
    http.answer = HTTPAnswerFault(kind)
    let (report, seen) = try run(.http(http))
    #expect(report.isRight && report.violations == [])
    #expect(report.sums.stored == report.sums.created)
    let during = seen.outcomes(from: 121, to: 240)
    #expect(!during.isEmpty && during.count <= 2 * seen.inserts(from: 110, to: 240) + 10)
    let isStored: Set<AnswerFault> = [.drop, .half, .tooLong, .late]
    // What was stored and not acknowledged comes again, and the server knows it.
    #expect(isStored.contains(kind) ? seen.duplicates > 0 : true)
  }

  /// A device deletes what a page of HTML with 200 seems to acknowledge, and what a lying server does; that cannot be helped.
  @Test(arguments: [AnswerFault.portal, .pretend])
  func aFalseSuccessIsNoticed(kind: AnswerFault) throws {
    var http = HTTPFault()
    http.answer = HTTPAnswerFault(kind)
    let (report, _) = try run(.http(http))
    // What a portal made the device delete is not the server's loss.
    let (expected, other) =
      kind == .portal ? (report.sums.misled, report.sums.lost) : (report.sums.lost, report.sums.misled)
    #expect(expected > 0 && other == 0 && report.isRight == (kind == .portal))
    #expect(report.remarks.isEmpty == (kind != .portal))
    #expect(report.sums.stored + expected == report.sums.created)
  }

  @Test func aPercentageIsAShareOfTheRequests() throws {
    var http = HTTPFault()
    http.abort = HTTPAbort(status: 503, percentage: 40)
    let (report, seen) = try run(.http(http))
    #expect(report.isRight)
    let during = seen.outcomes(from: 121, to: 240)
    let refused = Double(during.count { $0 == 503 }) / Double(during.count)
    #expect((0.15...0.65).contains(refused))
  }

  @Test(arguments: ToxicStream.allCases)
  func latencyDelaysEitherWay(stream: ToxicStream) throws {
    var latency = LatencyToxic()
    (latency.latencyMilliseconds, latency.jitterMilliseconds) = (4_000, 1_000)
    let (report, seen) = try run(toxic(.latency(latency), stream))
    #expect(report.isRight)
    #expect((4...6.5).contains(seen.longest(from: 120, to: 240)) && seen.longest(from: 0, to: 119) < 4)
  }

  @Test(arguments: ToxicStream.allCases)
  func aThinPipeTakesItsTime(stream: ToxicStream) throws {
    var bandwidth = BandwidthToxic()
    bandwidth.kilobytesPerSecond = 0.1
    let (report, seen) = try run(toxic(.bandwidth(bandwidth), stream))
    #expect(report.isRight && seen.longest(from: 120, to: 240) > 1)
  }

  @Test func piecesComeOneAfterTheOther() throws {
    var slicer = SlicerToxic()
    (slicer.averageBytes, slicer.variationBytes, slicer.delayMicroseconds) = (64, 32, 100_000)
    let (report, seen) = try run(toxic(.slicer(slicer), .upstream))
    #expect(report.isRight && seen.longest(from: 120, to: 240) > 1)
  }

  @Test func aLimitCutsTheConnectionWhereverItIs() throws {
    var limit = LimitDataToxic()
    limit.bytes = 2_500
    for stream in ToxicStream.allCases {
      let (report, seen) = try run(toxic(.limitData(limit), stream))
      #expect(report.isRight && report.violations == [])
      #expect(seen.outcomes(from: 120, to: 240).contains(0))
    }
  }

  @Test(arguments: [nil] + ToxicPhase.allCases.map(Optional.some), ToxicStream.allCases)
  func aResetLosesNothing(phase: ToxicPhase?, stream: ToxicStream) throws {
    let (report, seen) = try run(toxic(.resetPeer(ResetPeerToxic()), stream, phase))
    #expect(report.isRight && report.violations == [])
    let during = seen.outcomes(from: 121, to: 240)
    #expect(!during.isEmpty && (phase == .connect || during.allSatisfy { $0 == 0 }))
    let commits = phase == .afterRequestBody || phase == .inResponse || (phase == nil && stream == .downstream)
    // A request of each device may be on its way when the fault begins, and lose the answer alone.
    #expect(commits ? seen.duplicates > 2 : seen.duplicates <= 2)
  }

  @Test func silenceEndsWithTheDevicesPatienceOrTheToxic() throws {
    let (report, seen) = try run(toxic(.timeout(TimeoutToxic()), .upstream))
    #expect(report.isRight && seen.outcomes(from: 120, to: 240).allSatisfy { $0 == 0 })
    #expect((55...61).contains(seen.longest(from: 120, to: 240)))
    var timeout = TimeoutToxic()
    timeout.timeoutMilliseconds = 3_000
    let (_, short) = try run(toxic(.timeout(timeout), .upstream))
    #expect((3...4.5).contains(short.longest(from: 120, to: 240)))
  }

  @Test func toxicityIsAShareOfConnections() throws {
    let (_, seen) = try run(toxic(.resetPeer(ResetPeerToxic()), .upstream, toxicity: 0.5))
    let during = Set(seen.outcomes(from: 121, to: 240))
    #expect(during == [0, 200])
  }

  @Test func commandsComeWithTheNextAnswer() throws {
    var remote = RemoteFault()
    remote.commands = [.setConfig(.object(["geolocation": .object(["distanceFilter": .integer(500)])]))]
    let fault = Fault(name: "remote", start: .seconds(120), action: .remote(remote))
    let setup = Runs.setup(seed: 31, minutes: 5, faults: [fault], Runs.drivers(2, radio: .constant(.lte)))
    let (report, seen) = try Runs.watch(setup)
    #expect(report.isRight)
    #expect(seen.inserts(from: 140, to: 240) * 3 < seen.inserts(from: 10, to: 110))
  }
}

extension HTTPAbort {
  init(status: Int, percentage: Double = 100, when condition: String? = nil) {
    self.init()
    self.status = status
    self.percentage = percentage
    self.condition = condition.flatMap { Condition($0) }
  }
}

extension HTTPDelay {
  init(_ delay: Nanoseconds) {
    self.init()
    fixedDelay = delay
  }
}

extension HTTPAnswerFault {
  init(_ kind: AnswerFault) {
    self.init()
    self.kind = kind
  }
}
