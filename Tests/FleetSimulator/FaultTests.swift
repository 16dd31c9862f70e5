import Base
import Contract
import Oracle
import Scenario
import Testing
import World

@testable import FleetSimulator

/// Each fault does what it says, to those it is for, and no record is lost by it.
@Suite struct FaultTests {
  private func run(_ faults: Fault..., minutes: Int64 = 10, devices: Int = 2) throws -> (RunReport, SeenEvents) {
    var configuration = Runs.configuration()
    configuration.app.stopOnTerminate = false
    configuration.app.startOnBoot = true
    let fleet = Runs.drivers(devices, configuration: configuration, radio: .constant(.lte))
    return try Runs.watch(Runs.setup(seed: 21, minutes: minutes, faults: faults, fleet))
  }

  private func storage(_ edit: (inout StorageFault) -> Void) -> FaultAction {
    var fault = StorageFault()
    edit(&fault)
    return .storage(fault)
  }

  private func device(_ edit: (inout DeviceFault) -> Void) -> FaultAction {
    var fault = DeviceFault()
    edit(&fault)
    return .device(fault)
  }

  @Test(arguments: StorageError.allCases)
  func aQueueThatCannotBeWrittenKeepsWhatItHas(error: StorageError) throws {
    let fault = Fault(
      name: "disk", start: .seconds(120), duration: .seconds(180), action: storage { $0.error = error })
    let (report, seen) = try run(fault)
    #expect(report.isRight && report.violations == [])
    #expect(report.sums.stored == report.sums.created && report.sums.created > 30)
    #expect(seen.refusals > 5)
    #expect(seen.inserts(from: 120, to: 300) == 0 && seen.inserts(from: 300, to: 600) > 10)
  }

  @Test(arguments: CrashMoment.allCases)
  func anAppThatDiesBetweenTwoStepsLosesNothingThatItKept(moment: CrashMoment) throws {
    let fault = Fault(name: "crash", start: .seconds(120), action: storage { $0.crash = moment })
    let (report, seen) = try run(fault, minutes: 20)
    #expect(report.isRight && report.violations == [])
    #expect(seen.kills == 2)
    switch moment {
    case .beforeInsertCommits: #expect(seen.refusals > 0 && seen.duplicates == 0)
    // The server has them, and the device sends them again.
    case .betweenSendAndAnswer, .betweenAnswerAndDelete: #expect(seen.duplicates > 0)
    }
  }

  @Test func aClockThatIsSetBackShowsInTheRecords() throws {
    let fault = Fault(
      name: "clock", start: .seconds(120), action: device { $0.clockOffset = .seconds(-90) })
    let (report, seen) = try run(fault)
    #expect(report.isRight && report.violations == [])
    #expect(seen.wallErrorsSeconds == [0, -90])
  }

  @Test func aClockThatDriftsGoesMoreAndMoreWrong() throws {
    let fault = Fault(
      name: "drift", start: .seconds(120), action: device { $0.clockDriftPartsPerMillion = 10_000 })
    let (report, seen) = try run(fault)
    #expect(report.isRight && report.violations == [])
    // 480 seconds at one in a hundred.
    let greatest = try #require(seen.wallErrorsSeconds.max())
    #expect((3...5).contains(greatest))
  }

  @Test func aClockThatDriftsStaysWithinTheCalendar() throws {
    let fault = Fault(
      name: "drift", start: .seconds(120), action: device { $0.clockDriftPartsPerMillion = 100_000 })
    var setup = Runs.setup(seed: 21, minutes: 10, faults: [fault], Runs.drivers(1, radio: .constant(.lte)))
    setup.start = Clock.dates.upperBound.advanced(byMilliseconds: -602_000)
    let (report, seen) = try Runs.watch(setup)
    #expect(report.sums.created > 10)
    // It would be 48 seconds ahead by the end.
    let greatest = try #require(seen.wallErrorsSeconds.max())
    #expect((5...45).contains(greatest))
  }

  /// At ten the clocks are right. A slow one shows the minute later than a timer would ring, a fast one earlier.
  @Test(arguments: [-200.0, 200])
  func aScheduleIsKeptByAClockThatDrifts(partsPerMillion: Double) throws {
    let fault = Fault(
      name: "drift", start: .seconds(1), action: device { $0.clockDriftPartsPerMillion = partsPerMillion })
    let (report, seen) = try run(fault, schedule: ["1-7 10:30-10:50", "1-7 10:35-10:40"])
    #expect(report.isRight && report.violations == [])
    #expect(seen.inserts(from: 0, to: 1_799) == 0 && seen.inserts(from: 1_799, to: 3_002) > 10)
    #expect(seen.inserts(from: 3_002, to: 3_600) == 0)
  }

  /// Twenty minutes forward: what is due at half past ten comes at ten past.
  @Test func aClockThatIsSetTakesItsScheduleAlong() throws {
    let fault = Fault(name: "clock", start: .seconds(120), action: device { $0.clockOffset = .seconds(1_200) })
    let (report, seen) = try run(fault, schedule: ["1-7 10:30-10:50"])
    #expect(report.isRight && report.violations == [])
    #expect(seen.inserts(from: 0, to: 599) == 0 && seen.inserts(from: 599, to: 1_802) > 10)
    #expect(seen.inserts(from: 1_802, to: 3_600) == 0)
  }

  private func run(_ fault: Fault, schedule: [String]) throws -> (RunReport, SeenEvents) {
    var configuration = Runs.configuration()
    configuration.app.schedule = schedule
    configuration.app.scheduleUseAlarmManager = true
    let fleet = Runs.drivers(2, configuration: configuration, radio: .constant(.lte))
    return try Runs.watch(Runs.setup(seed: 21, minutes: 60, faults: [fault], fleet))
  }

  @Test func aReceiverWithoutSatellitesMakesNoRecords() throws {
    let fault = Fault(
      name: "blind", start: .seconds(120), duration: .seconds(180), action: device { $0.noFix = true })
    let (report, seen) = try run(fault)
    #expect(report.isRight)
    #expect(seen.inserts(from: 130, to: 300) < 5 && seen.inserts(from: 300, to: 600) > 10)
  }

  @Test func aReceiverSeesAgainWhenTheLastOfTwoFaultsIsOver() throws {
    let action = device { $0.noFix = true }
    let (report, seen) = try run(
      Fault(name: "long", start: .seconds(120), duration: .seconds(180), action: action),
      Fault(name: "short", start: .seconds(150), duration: .seconds(30), action: action))
    #expect(report.isRight)
    #expect(seen.inserts(from: 130, to: 300) < 5 && seen.inserts(from: 300, to: 600) > 10)
  }

  /// The end of an app that is closed is in `TerminationTests`.
  /// A request of an administrator is as long as any: the server within the run refuses a longer one.
  @Test(arguments: [(9 << 20, true), (20 << 20, false)])
  func commandsAreNoLongerThanAServerTakes(bytes: Int, areTaken: Bool) throws {
    let text = """
      { version: 1, name: "long", fleets: { a: { devices: 1 } },
        faults: [{ name: "far", at: "1m", remote: { background_geolocation: [["uploadLog", "http://a.example/"]] } }] }
      """
    var scenario = try ScenarioReader().read(text).scenario
    var remote = RemoteFault()
    remote.commands = [.uploadLog(url: "http://a.example/" + String(repeating: "a", count: bytes))]
    scenario.faults[0].action = .remote(remote)
    guard !areTaken else { return _ = try RunSetup(scenario) }
    let refused = try #require(throws: UnsupportedScenarioError.self) { try RunSetup(scenario) }
    #expect(refused.problems.map { "\($0)".contains("and a server takes 10485760; write shorter ones") } == [true])
  }

  @Test func aRebootEndsAfterRelaunchAfter() throws {
    var lifecycle = LifecycleFault()
    (lifecycle.reboot, lifecycle.relaunchAfter) = (true, .constant(120))
    let fault = Fault(name: "off", start: .seconds(120), action: .lifecycle(lifecycle))
    let (report, seen) = try run(fault)
    #expect(report.isRight && seen.kills == 2 && seen.launches == 4)
    #expect(seen.inserts(from: 120, to: 240) == 0 && seen.inserts(from: 240, to: 600) > 10)
  }

  @Test(arguments: PoisonKind.allCases)
  func aPoisonedRecordStandsInTheQueueAndMovesOn(kind: PoisonKind) throws {
    var selection = FaultSelection()
    selection.count = 1
    let fault = Fault(
      name: "poison", start: .seconds(120), selection: selection, action: device { $0.poisonRecord = kind })
    let (report, seen) = try run(fault)
    #expect(report.sums.pending == 0 && report.drained != nil)
    #expect(seen.faultsBegun == 1)
    // A bad record is put aside by the server, a big one is stored like any other.
    #expect(report.sums.stored == report.sums.created - (kind == .oversizedExtras ? 0 : 1))
  }

  /// Also one that a bug has made passes through the SDK's own insert, and pushes an older one out.
  @Test func aPoisonedRecordKeepsTheQueueWithinItsBounds() throws {
    var configuration = Runs.configuration()
    configuration.http.autoSync = false
    configuration.persistence.maxRecordsToPersist = 1
    let fault = Fault(name: "poison", start: .seconds(60), action: device { $0.poisonRecord = .missingCoords })
    let report = try Runs.run(
      Runs.setup(seed: 21, minutes: 3, faults: [fault], Runs.drivers(1, configuration: configuration)))
    #expect(report.isRight && report.violations == [] && report.sums.evicted > 1)
  }

  /// After a reboot the system has started the app, which may not track before its owner opens it.
  @Test func aPoisonedRecordWaitsForAnAppThatTracks() throws {
    var reboot = LifecycleFault()
    reboot.reboot = true
    let faults = [
      Fault(name: "off", start: .seconds(30), action: .lifecycle(reboot)),
      Fault(name: "poison", start: .seconds(30), action: device { $0.poisonRecord = .missingCoords }),
    ]
    let (report, seen) = try Runs.watch(Runs.setup(seed: 21, minutes: 4, faults: faults, Runs.drivers(1)))
    #expect(report.isRight && report.violations == [])
    #expect(seen.launches == 2 && seen.inserts(from: 31, to: 240) == 0)
  }

  @Test func aRateBringsAsManyAsItSays() throws {
    let fault = Fault(
      name: "kills", perDeviceHour: 60, action: .lifecycle(LifecycleFault(terminating: .constant(5))))
    let (report, seen) = try run(fault, minutes: 6, devices: 5)
    #expect(report.isRight)
    // 30 are expected, with a standard deviation of 5.
    #expect((13...50).contains(seen.faultsBegun))
  }
}

extension LifecycleFault {
  init(terminating relaunch: Distribution) {
    self.init()
    (terminate, relaunchAfter) = (true, relaunch)
  }
}
