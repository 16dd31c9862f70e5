import Scenario

/// The place of a device in the run.
struct DeviceHome {
  let name: String
  let fleet: Int
  let fleetName: String
  let index: Int
  let seed: UInt64

  /// With its own words in the place of `${…}`.
  func filled(_ text: String) -> String {
    DevicePlaceholders(id: name, index: index, fleet: fleetName, seed: seed).fill(text)
  }
}
