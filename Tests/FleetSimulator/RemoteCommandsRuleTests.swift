import Contract
import Engine
import Host
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

  /// The refresh takes longer than the flush that it belongs to may take.
  @Test(arguments: [(30, true), (65, false)] as [(Int64, Bool)])
  func commandsOfARefusedUploadGoWithAFlushThatIsGivenUp(seconds: Int64, isBlamed: Bool) {
    let (stage, record) = uploadAnswered(401, "{\"background_geolocation\":[[\"stop\"]]}")
    stage.pass(seconds: seconds)
    stage.upload([record, stage.insert()])
    #expect(stage.violated.contains(.remoteCommands) == isBlamed)
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
