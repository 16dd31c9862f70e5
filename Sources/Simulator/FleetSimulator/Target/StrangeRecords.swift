import Base

/// Records listed for devices of other runs, for unknown names, or for no device; a record that its device misses
/// may be among them.
struct StrangeRecords {
  private var owners: [UUID128: UInt32] = [:]
  private var names: [String] = []
  private var numbers: [String: UInt32] = [:]

  /// A store may hold millions of records of earlier runs.
  private static let recordsMax = 1_000_000

  mutating func take(_ uuid: UUID128, of owner: String?) {
    guard owners.count < StrangeRecords.recordsMax else { return }
    let name = owner ?? "(none)"
    let number = numbers[name] ?? UInt32(names.count)
    if number == names.count {
      names.append(name)
      numbers[name] = number
    }
    owners[uuid] = number
  }

  func forEach(_ body: (_ uuid: UUID128, _ owner: String) -> Void) {
    for (uuid, number) in owners { body(uuid, names[Int(number)]) }
  }

  func owner(of uuid: UUID128) -> String? { owners[uuid].map { names[Int($0)] } }
}
