import Base

/// The place of a device in the run.
struct DeviceHome {
  let name: String
  let fleet: Int
  let fleetName: String
  let index: Int
  let seed: UInt64

  /// With its own words in the place of `${…}`; what is the run's seed is left as it is told there.
  func filled(_ text: String) -> String {
    guard text.contains("${") else { return text }
    let words = [
      ("device.id", name), ("device.index", String(index)), ("device.fleet", fleetName),
      ("run.seed", "0x" + String(seed, radix: 16)),
    ]
    var filled = text
    for (word, value) in words {
      filled = filled.split(separator: "${\(word)}", omittingEmptySubsequences: false).joined(separator: value)
    }
    return filled
  }
}
