import Base
import Store

/// The whole store, gone through once: how many records of each device it holds, and the sum of their marks.
struct StoreSums {
  private(set) var devices: [MarkedSum]
  /// Rows of devices that nobody simulated, and one of these.
  private(set) var strangers = 0
  private(set) var stranger: String?

  init(of proof: any StoreProof, names: [String]) {
    devices = Array(repeating: MarkedSum(), count: names.count)
    var numbers: [String: Int] = [:]
    for (number, name) in names.enumerated() { numbers[name] = number }
    proof.forEachRecord(of: nil) { name, uuid in
      if let number = numbers[name] {
        devices[number].add(uuid)
      } else {
        strangers += 1
        stranger = stranger ?? name
      }
    }
  }
}
