import Base
import Contract
import Engine
import Host
import JSON
import Queue
import Scenario
import Testing
import Upload
import Vocabulary

@testable import FleetSimulator
@testable import Oracle

/// I23: a phone that carries a command out and does nothing is found out.
@Suite struct CommandEffectTests {
  /// `start` and `stop` turn tracking on and off (BGGeo 156), unless a schedule does.
  @Test(
    arguments: [
      (Command.stop, true, nil, true), (.stop, true, false, false), (.stop, false, nil, false),
      (.start, true, nil, false),
      (.start, false, nil, true), (.start, false, true, false), (.startGeofences, false, nil, true),
      (.startSchedule, false, nil, false), (.stop, nil, nil, false),
    ] as [(Command, Bool?, Bool?, Bool)], [true, false])
  func trackingIsTurnedOnAndOff(
    _ example: (command: Command, wasOn: Bool?, told: Bool?, isFound: Bool), isScheduled: Bool
  ) {
    let stage = Stage { if isScheduled { $0.app.schedule = ["1-7 00:00-23:59"] } }
    if isScheduled { stage.tell(.asked(.startSchedule)) }
    if let wasOn = example.wasOn { stage.event(.enabledChange(isEnabled: wasOn)) }
    stage.pass(seconds: 10)
    stage.tell(.told(.commanded(example.command)))
    if let told = example.told { stage.event(.enabledChange(isEnabled: told)) }
    stage.wait(1)
    #expect(CommandEffectTests.isFound(stage) == (example.isFound && !isScheduled))
  }

  /// The last of several commands counts.
  @Test(arguments: [true, false]) func ofSeveralCommandsTheLastCounts(isOn: Bool) {
    let stage = Stage()
    stage.event(.enabledChange(isEnabled: true))
    stage.pass(seconds: 10)
    for command in isOn ? [Command.stop, .start] : [.start, .stop] { stage.tell(.told(.commanded(command))) }
    stage.event(.enabledChange(isEnabled: false))
    if isOn { stage.event(.enabledChange(isEnabled: true)) }
    stage.wait(1)
    #expect(!CommandEffectTests.isFound(stage))
  }

  /// `setConfig` sets its keys and leaves the others (SDK §1.2).
  @Test(arguments: ["right", "ignored", "replaced", "same", "killed", "storeFailed"])
  func aConfigurationIsMerged(phone: String) {
    let stage = Stage { $0.app.heartbeatIntervalSeconds = 90 }
    var told = stage.oracle.ledger.truth.lives[0].configuration ?? Configuration(platform: .android)
    stage.pass(seconds: 10)
    let metres: Int64 = phone == "same" ? Int64(told.geolocation.distanceFilterMetres) : 75
    let document = JSONValue.object(["geolocation": .object(["distanceFilter": .integer(metres)])])
    stage.tell(.told(.commanded(.setConfig(document))))
    switch phone {
    case "right":
      told.geolocation.distanceFilterMetres = 75
      told.authorization.accessToken = "another"
      stage.tell(.configured(told))
    case "replaced":
      told = Configuration(platform: .android)
      told.geolocation.distanceFilterMetres = 75
      stage.tell(.configured(told))
    case "killed": stage.tell(.killed(isReboot: false))
    case "storeFailed": stage.tell(.queue(.refused(device: 0, .insertion)))
    default: break
    }
    stage.wait(1)
    #expect(CommandEffectTests.isFound(stage) == ["ignored", "replaced"].contains(phone))
  }

  enum Pace: CaseIterable { case followed, ignored, same, unknown, blind, commandedAgain, scheduled }

  /// `changePace` makes a phone that tracks move, or rest (BGGeo 390).
  @Test(arguments: Pace.allCases, [true, false]) func thePaceIsChanged(_ pace: Pace, isMoving: Bool) {
    let stage = Stage.started()
    if pace != .unknown { stage.event(.motionChange(stage.location(isMoving: (pace == .same) == isMoving))) }
    stage.pass(seconds: 600)
    if pace == .scheduled { stage.tell(.asked(.startSchedule)) }
    if pace == .blind {
      var fault = DeviceFault()
      fault.noFix = true
      stage.begin(.device(fault))
    }
    stage.tell(.told(.commanded(.changePace(isMoving: isMoving))))
    stage.pass(seconds: 30)
    if pace == .followed { stage.event(.motionChange(stage.location(isMoving: isMoving))) }
    if pace == .commandedAgain { stage.tell(.told(.commanded(.changePace(isMoving: !isMoving)))) }
    stage.wait(1_000)
    #expect(CommandEffectTests.isFound(stage) == (pace == .ignored))
  }

  /// `uploadLog` sends the log to its address.
  @Test(arguments: [(["http://server.example/locations"], false), ([], true), (["http://server.example/other"], true)])
  func theLogIsSent(to urls: [String], isFound: Bool) {
    let stage = Stage()
    stage.pass(seconds: 10)
    for url in urls { stage.tell(.told(.commanded(.uploadLog(url: url)))) }
    if urls.isEmpty { stage.tell(.told(.commanded(.uploadLog(url: "http://server.example/locations")))) }
    if !urls.isEmpty { stage.send([], .log) }
    stage.wait(1)
    #expect(CommandEffectTests.isFound(stage) == isFound)
  }

  private static func isFound(_ stage: Stage) -> Bool {
    stage.oracle.violations.violations.contains { $0.what.contains("was carried out") }
  }
}
