import Base
import Store

extension Shortfall {
  private static let runsLookedAt = 5
  /// The pages of keys that are examined in each run.
  private static let pagesMax = 200

  /// Returns where else records with these uuids are stored: under other devices of the run, and in other runs.
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

  /// Counts the records of each device, by name, as far as a bounded search goes.
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
