/// The numbers under which partitions keep the texts that came beside records, as far as they are remembered. As a rule the
/// texts of devices differ by the device's name, and each device sends its own again and again.
struct ParameterMemory {
  private struct Key: Hashable {
    let partition: Int64
    let json: [UInt8]
  }

  /// Room for the texts of some ten thousand devices. Whoever sends another one with every request gains nothing.
  private static let bytesMax = 8 << 20

  private var numbers: [Key: Int64] = [:]
  private var byteCount = 0

  func number(of json: [UInt8], in partition: Int64) -> Int64? { numbers[Key(partition: partition, json: json)] }

  mutating func note(_ number: Int64, of json: [UInt8], in partition: Int64) {
    let cost = 128 + json.count
    if byteCount + cost > ParameterMemory.bytesMax {
      numbers.removeAll(keepingCapacity: true)
      byteCount = 0
    }
    byteCount += cost
    numbers[Key(partition: partition, json: json)] = number
  }
}
