import Base
import Contract
import Oracle
import Queue
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator

/// A template without a uuid makes the same bytes of a place that is recorded several times. The records are told apart by the
/// order in which they go (SDK §8.4).
@Suite struct TwinRecordTests {
  private func queue(_ order: LocationsOrder, isBatch: Bool = false) -> (Stage, [Stage.Record]) {
    let stage = Stage {
      $0.http.maxBatchSize = isBatch ? 3 : 1
      $0.persistence.locationsOrderDirection = order
      $0.persistence.locationTemplate = #"{"lat":<%= latitude %>,"lng":<%= longitude %>}"#
    }
    let records = (Int64(1)...3).map { row in
      let record = Stage.Record(
        row: row, uuid: UUID128(high: 1, low: UInt64(row)), bytes: Array(#"{"lat":1,"lng":2}"#.utf8))
      stage.tell(
        .queue(
          .inserted(
            device: 0, row: row, uuid: record.uuid, timestamp: WallInstant(millisecondsSince1970: 1_772_445_600_000),
            bytes: record.bytes)))
      return record
    }
    return (stage, records)
  }

  @Test(arguments: [LocationsOrder.ascending, .descending], [true, false])
  func eachIsDeliveredInItsTurn(order: LocationsOrder, isBatch: Bool) {
    let (stage, records) = queue(order, isBatch: isBatch)
    let turns = order == .ascending ? records : records.reversed()
    for records in isBatch ? [turns] : turns.map({ [$0] }) { stage.upload(records) }
    #expect(stage.violated == [])
  }

  @Test(arguments: [LocationsOrder.ascending, .descending])
  func theOtherEndIsDeliveredFirst(order: LocationsOrder) {
    let (stage, records) = queue(order)
    for record in order == .ascending ? records.reversed() : records { stage.upload([record]) }
    #expect(stage.violated.contains(.noDeleteBeforeAck))
  }
}
