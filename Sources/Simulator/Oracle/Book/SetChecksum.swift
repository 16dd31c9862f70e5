import Base

/// The number of records and the sum of their marks: equal checksums mean equal sets.
struct SetChecksum: Equatable {
  private(set) var count = 0
  private(set) var sum: UInt64 = 0

  mutating func add(_ uuid: UUID128) {
    count += 1
    sum &+= uuid.mixed
  }
}

/// One pass over the whole store: the checksum of each device's records.
struct StoreSums {
  private(set) var devices: [SetChecksum]
  /// The number of rows of devices that were not simulated, and the name of one of these.
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
