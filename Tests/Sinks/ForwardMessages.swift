import Base
import IngestServer
import Store
import Testing

extension ForwardMessage {
  /// Records of devices, in this order, each with its place as `odometer`, as a store gives them.
  static func some(of devices: [String], run: String = "", firstPadding: Int = 0) throws -> [ForwardMessage] {
    let store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    let at = WallInstant(millisecondsSince1970: 1_795_176_000_000)
    for (number, device) in devices.enumerated() {
      let padding = String(repeating: " ", count: number == 0 ? firstPadding : 0)
      let record = Array(#"{\#(padding)"odometer":\#(number)}"#.utf8)
      let point = Point(
        recordedAt: at.millisecondsSince1970 + Int64(number), uuid: UUID128(high: 1, low: UInt64(number)),
        record: 0..<record.count)
      let batch = IngestBatch(
        device: DeviceIdentity(run: run, name: device), receivedAt: at, bytes: record, points: [point])
      _ = store.apply([.ingest(batch)], now: at)
    }
    let reader = try #require(store.reader)
    return try reader.arrivals(RecordSelection(KeySelection(run: run)), limit: devices.count).elements
      .map { ForwardMessage($0) }
  }

  /// Of devices with names of one letter.
  static func some(of letters: String, run: String = "", firstPadding: Int = 0) throws -> [ForwardMessage] {
    try some(of: letters.map { String($0) }, run: run, firstPadding: firstPadding)
  }
}
