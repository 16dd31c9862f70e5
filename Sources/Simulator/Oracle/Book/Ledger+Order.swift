import Base
import Scenario

/// A record that was acknowledged before another was sent must precede it, wherever the records of a device keep their order.
extension Ledger {
  /// Checks the order of all records of one device that are to be proven.
  func checkOrder(of records: [DequeuedRecord], by proof: any StoreProof) {
    guard let device = records.first.map({ Int($0.device) }), proof.refusal == nil else { return }
    var placed: [(place: Int, record: DequeuedRecord)] = records.compactMap { record in
      guard record.marks.isSuperset(of: [.isAcknowledged, .isServers]) else { return nil }
      return proof.place(of: record.uuid, of: names[device]).map { ($0, record) }
    }
    placed.sort { $0.place > $1.place }
    // The earliest acknowledged of the records further back.
    var first: DequeuedRecord?
    for (_, record) in placed {
      // A device sends one request at a time (SDK §8.5). A record that was sent more than once may have been
      // stored the first time.
      if let first, record.attempts == 1, first.request != record.request, first.at < record.at {
        return violations.flag(
          .ackedIsDurable, device, record.uuid, at: record.at,
          "stands in front of \(first.uuid.text), which was acknowledged before it was sent")
      }
      if first.map({ record.at < $0.at }) ?? true { first = record }
    }
  }
}
