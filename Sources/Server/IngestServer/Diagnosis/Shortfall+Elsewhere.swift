import Base
import Store

extension Shortfall {
  private static let runsLookedAt = 5
  /// Pages of keys that are looked at in each run.
  private static let pagesMax = 200

  /// Where records that a client knows by their uuids are instead: under other devices of the run, and in other runs.
  static func elsewhere(
    _ uuids: Set<UUID128>, of device: String?, run: String, _ reader: any StoreReader
  ) throws(StoreError) -> [ShortfallReason] {
    var reasons: [ShortfallReason] = []
    if let device {
      for (owner, count) in try holders(of: uuids, in: run, reader) where !owner.isExactly(device) {
        reasons.append(
          ShortfallReason(
            kind: .otherDevice, message: "\(CountRange.records(count)) under device \(owner)", count: count,
            rank: .mistake))
      }
    }
    for other in try reader.otherRuns(of: nil, than: run, limit: runsLookedAt).map(\.run) {
      for (owner, count) in try holders(of: uuids, in: other, reader) {
        let place = other.isEmpty ? "without a run" : "in run \(other)"
        reasons.append(
          ShortfallReason(
            kind: .otherRun, message: "\(CountRange.records(count)) of \(owner) \(place)", count: count,
            rank: .mistake))
      }
    }
    return reasons
  }

  /// How many of them each device has, in the order of the names, as far as a look goes.
  private static func holders(
    of uuids: Set<UUID128>, in run: String, _ reader: any StoreReader
  ) throws(StoreError) -> [(device: String, count: Int)] {
    var selection = KeySelection(run: run)
    selection.uuids = uuids
    var counts: [ExactText: Int] = [:]
    var cursor: ArrivalCursor?
    var pages = 0
    repeat {
      let page = try reader.keys(selection, after: cursor)
      for record in page.elements { counts[ExactText(record.device.name), default: 0] += 1 }
      cursor = page.next
      pages += 1
    } while cursor != nil && pages < pagesMax
    return counts.map { ($0.key.text, $0.value) }.sorted { $0.0 < $1.0 }
  }
}
