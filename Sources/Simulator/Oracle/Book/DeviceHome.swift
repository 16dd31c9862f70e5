import Scenario

/// The place of a device in the run.
struct DeviceHome {
  let name: String
  let fleet: Int
  let fleetName: String
  let index: Int
  let seed: UInt64

  /// Returns the text with `${…}` replaced by the device's values.
  func filled(_ text: String) -> String {
    DevicePlaceholders(id: name, index: index, fleet: fleetName, seed: seed).fill(text)
  }
}
