import Base

/// How many records there are, and the sum of their marks: two sets with the same sums are the same set.
struct SetChecksum: Equatable {
  private(set) var count = 0
  private(set) var sum: UInt64 = 0

  mutating func add(_ uuid: UUID128) {
    count += 1
    sum &+= uuid.mixed
  }
}

/// The whole store, gone through once: how many records of each device it holds, and the sum of their marks.
struct StoreSums {
  private(set) var devices: [SetChecksum]
  /// Rows of devices that were not simulated, and one of these.
  private(set) var strangers = 0
  private(set) var stranger: String?

  init(of proof: any StoreProof, names: [String]) {
    devices = Array(repeating: SetChecksum(), count: names.count)
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

/// A request of a device whose answer has put records aside.
struct PutAsideKey: Hashable {
  let device: UInt32
  let request: UInt64
}
