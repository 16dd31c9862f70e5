import Base
import Store
import Upload

/// A run in modelled time makes the same records each time. What an earlier one has left in a store passes for what this
/// one stores: before the first upload of some devices it is asked whether their records are there already.
final class EarlierRun {
  /// There already, and of which device.
  struct Leftover: Error, CustomStringConvertible {
    let uuid: UUID128
    let device: String

    var description: String {
      "the store has record \(uuid.text) of device \(device) before this run has sent it: it is left from an earlier run with this seed, "
        + "whose records would be taken for those of this run; use another --seed, or empty the store"
    }
  }

  /// Asked for nothing else: it keeps what it has read.
  private let proof: any StoreProof
  private var asked: Set<Int> = []
  private(set) var leftover: Leftover?

  private static let devicesMax = 20

  init(_ proof: any StoreProof) { self.proof = proof }

  /// A request is about to leave. A store that cannot be read says nothing here; the end of the run will tell.
  func look(before request: OutgoingRequest, of device: Int, named name: String, _ ledger: Ledger) {
    guard leftover == nil, asked.count < EarlierRun.devicesMax, let cargo = request.cargo,
      asked.insert(device).inserted
    else { return }
    let waiting = ledger.pages[device].waiting.all
    let keys = cargo.uuids.compactMap { uuid in
      waiting.first { $0.uuid == uuid }
        .map { PointKey(recordedAt: $0.timestamp.millisecondsSince1970, uuid: uuid) }
    }
    guard let missing = proof.missing(keys, of: name), missing.count < keys.count else { return }
    let absent = Set(missing.map(\.uuid))
    leftover = keys.first { !absent.contains($0.uuid) }.map { Leftover(uuid: $0.uuid, device: name) }
  }
}
