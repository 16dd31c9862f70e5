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
  init(of server: VirtualServer, names: [String], dropped: [(device: Int, uuid: UUID128)]) {
    devices = Array(repeating: Rows(), count: names.count)
    var numbers: [String: Int] = [:]
    for (number, name) in names.enumerated() { numbers[name] = number }
    let dropped = Set(dropped.map(\.uuid))
    var seen: [UUID128] = []
    var owners: [Int] = []
    var cursor: ArrivalCursor?
    repeat {
      let start = cursor
      let answer = server.ask { reader in
        Result { () throws(StoreError) in try reader.keys(run: "", after: start) }
      }
      guard case .success(let page)? = answer else { preconditionFailure("a store in memory can be read") }
      for key in page.elements {
        guard let number = numbers[key.device.name] else {
          strangers += 1
          continue
        }
        if dropped.contains(key.key.uuid) { continue }
        seen.append(key.key.uuid)
        owners.append(number)
      }
      cursor = page.next
    } while cursor != nil
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
