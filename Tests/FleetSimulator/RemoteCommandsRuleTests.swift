import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Upload
import Vocabulary

@testable import FleetSimulator

/// I23 by itself.
@Suite struct RemoteCommandsRuleTests {
  /// A device whose upload of one record has been answered so.
  private func uploadAnswered(_ status: Int, _ body: String) -> (stage: Stage, record: Stage.Record) {
    let stage = Stage()
    let record = stage.insert()
    let request = stage.send([record])
    stage.serve(request)
    stage.end(request, status: status, body: body)
    return (stage, record)
  }

  @Test func aCommandIsNotCarriedOut() {
    let (stage, record) = uploadAnswered(200, "{\"background_geolocation\":[[\"stop\"],[\"start\"]]}")
    stage.tell(.told(.commanded(.stop)))
    stage.delete(record)
    #expect(stage.violated == [.remoteCommands])
  }

  @Test func aCommandOfARefusedUploadWaitsForTheRefresh() {
    let (stage, record) = uploadAnswered(401, "{\"background_geolocation\":[[\"stop\"]]}")
    let refresh = stage.send([], .refresh)
    stage.end(refresh, status: 200)
    stage.tell(.told(.commanded(.stop)))
    stage.upload([record])
    #expect(stage.violated == [])
  }

  /// The watchdog ends the refresh, and what waited for it is carried out; not before, and not never.
  @Test(arguments: [(30, true, true), (65, true, false), (65, false, true)] as [(Int64, Bool, Bool)])
  func commandsOfARefusedUploadRunWhenTheRefreshIsGivenUp(seconds: Int64, isCarriedOut: Bool, isBlamed: Bool) {
    let (stage, record) = uploadAnswered(401, "{\"background_geolocation\":[[\"stop\"]]}")
    _ = stage.send([], .refresh)
    stage.pass(seconds: seconds)
    if isCarriedOut { stage.tell(.told(.commanded(.stop))) }
    stage.upload([record, stage.insert()])
    #expect(stage.violated.contains(.remoteCommands) == isBlamed)
  }

  @Test(arguments: [200, 400])
  func theCommandsOfARefreshFollowThoseOfTheRefusedUpload(status: Int) {
    for commands in [[Command.stop, .start], [.start, .stop], [.stop]] {
      let (stage, record) = uploadAnswered(401, "{\"background_geolocation\":[[\"stop\"]]}")
      let refresh = stage.send([], .refresh)
      stage.end(refresh, status: status, body: "{\"background_geolocation\":[[\"start\"]]}")
      for command in commands { stage.tell(.told(.commanded(command))) }
      stage.insert()
      stage.upload([record])
      #expect(stage.violated.contains(.remoteCommands) == (commands != [.stop, .start]), "\(commands)")
    }
  }

  @Test(arguments: [true, false])
  func theCommandsOfALogAreCarriedOut(isCarriedOut: Bool) {
    let stage = Stage()
    let log = stage.send([], .log)
    stage.end(log, status: 500, body: "{\"background_geolocation\":[[\"stop\"]]}")
    if isCarriedOut { stage.tell(.told(.commanded(.stop))) }
    #expect(stage.violated == (isCarriedOut ? [] : [.remoteCommands]))
  }

  /// Killed between the 2xx and the deletion: what was asked for is gone with the process.
  @Test func aDeadAppCarriesNothingOut() {
    let (stage, record) = uploadAnswered(200, "{\"background_geolocation\":[[\"stop\"]]}")
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.upload([record])
    #expect(stage.violated == [])
  }

  @Test func aCommandComesFromNowhere() {
    let stage = Stage()
    stage.tell(.told(.commanded(.stop)))
    #expect(stage.violated == [.remoteCommands])
  }
}
