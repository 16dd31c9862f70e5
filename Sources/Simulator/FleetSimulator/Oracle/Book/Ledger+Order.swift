import Base
import Scenario

/// What was acknowledged before a record was sent stands before it wherever the records of a device keep their order.
extension Ledger {
  /// All of one device that is to be proven.
  func checkOrder(of records: [DequeuedRecord], by proof: any StoreProof) {
    guard let device = records.first.map({ Int($0.device) }), proof.refusal == nil else { return }
    var placed: [(place: Int, record: DequeuedRecord)] = records.compactMap { record in
      guard record.marks.isSuperset(of: [.isAcknowledged, .isServers]) else { return nil }
      return proof.place(of: record.uuid, of: names[device]).map { ($0, record) }
    }
    placed.sort { $0.place > $1.place }
    // Of those that stand behind, the one that was acknowledged first.
    var first: DequeuedRecord?
    for (_, record) in placed {
      // A device sends one request at a time (SDK §8.5). What was sent more than once may have been stored the first time.
      if let first, record.attempts == 1, first.request != record.request, first.at < record.at {
        return violations.flag(
          .ackedIsDurable, device, record.uuid, at: record.at,
          "stands in front of \(first.uuid.text), which was acknowledged before it was sent")
      }
      if first.map({ record.at < $0.at }) ?? true { first = record }
    }
  }
}
