import Base
import Store

/// The whole store, gone through once: how many records of each device it holds, and the sum of their marks.
struct StoreSums {
  struct Rows {
    var count = 0
    var sum: UInt64 = 0
    var repeated = 0
  }

  private(set) var devices: [Rows]
  /// Rows of devices that nobody simulated.
  private(set) var strangers = 0

  /// Records in `dropped` are not counted: whether they are there does not matter.
  init(of proof: any StoreProof, names: [String], dropped: [(device: Int, uuid: UUID128)]) {
    devices = Array(repeating: Rows(), count: names.count)
    var numbers: [String: Int] = [:]
    for (number, name) in names.enumerated() { numbers[name] = number }
    let dropped = Set(dropped.map(\.uuid))
    var seen: [UUID128] = []
    var owners: [Int] = []
    var strangers = 0
    proof.forEachRecord { device, uuid in
      guard let number = numbers[device] else { return strangers += 1 }
      if dropped.contains(uuid) { return }
      seen.append(uuid)
      owners.append(number)
    }
    self.strangers = strangers
    count(seen, owners)
  }

  private mutating func count(_ seen: [UUID128], _ owners: [Int]) {
    for (uuid, owner) in zip(seen, owners) {
      devices[owner].count += 1
      devices[owner].sum &+= Ledger.mark(uuid)
    }
    let order = seen.indices.sorted { seen[$0] < seen[$1] }
    for (left, right) in zip(order, order.dropFirst()) where seen[left] == seen[right] {
      devices[owners[right]].repeated += 1
    }
  }
}
