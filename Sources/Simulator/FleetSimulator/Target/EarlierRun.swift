import Base
import Oracle
import Store
import Upload

/// Detects records that an earlier run has left in the store. A run in virtual time makes the same records each time, so
/// those would pass for records of this run. Before the first upload of some devices, the store is asked for their records.
final class EarlierRun {
  /// A record that was stored before this run, and its device.
  struct Leftover: Error, CustomStringConvertible {
    let uuid: UUID128
    let device: String

    var description: String {
      "the store has record \(uuid.text) of device \(device) before this run has sent it: it is left from an earlier run with this seed, "
        + "whose records would be taken for those of this run; use another --seed, or empty the store"
    }
  }

  /// Used only for this purpose, as it caches what it has read.
  private let proof: any StoreProof
  private var asked: Set<Int> = []
  private(set) var leftover: Leftover?

  private static let devicesMax = 20

  init(_ proof: any StoreProof) { self.proof = proof }

  /// Checks a request that is about to be sent. A store that cannot be read is ignored here; the end of the run reports it.
  func look(before request: OutgoingRequest, of device: Int, named name: String, _ oracle: Oracle) {
    guard leftover == nil, asked.count < EarlierRun.devicesMax, let payload = request.payload,
      asked.insert(device).inserted
    else { return }
    let keys = oracle.keys(of: payload.uuids, waitingOn: device)
    let unsent = Set(keys.map(\.uuid))
    guard let missing = proof.missing(keys, of: name, notOwed: unsent), missing.count < keys.count else {
      return
    }
    let absent = Set(missing.map(\.uuid))
    leftover = keys.first { !absent.contains($0.uuid) }.map { Leftover(uuid: $0.uuid, device: name) }
  }
}
