import Base
package import Contract
package import JSON
package import Scenario
package import World

/// Devices that are alike.
package struct FleetSetup: Sendable {
  /// Tells the fleet's chances from those of other fleets: renaming it changes them, what stands beside it does not.
  package var name: String
  package var devices: Int
  /// Which of them are simulated, in order and once each; nil: all. A member is who it is in the whole fleet: it has the
  /// same name, the same chances, the same trips.
  package var members: [Int]?
  package var movement: Movement
  package var radio: RadioModel
  package var habits: HabitRates
  package var receiver = GPSModel.inVehicle
  package var battery = World.Battery()
  package var presence = Presence.from(MonotonicInstant(nanoseconds: 0))
  /// Which the app adds before it starts the SDK for the first time.
  package var geofences: [Geofence] = []
  /// What the app starts when it has no schedule.
  package var startsGeofencesOnly = false
  package var behaviour = SDKBehaviour.observed
  /// For thresholds and reports.
  package var tags: [Tag] = []
  /// Trips that found no free device.
  package var droppedTrips = 0
  /// Of every device, as far as devices are alike.
  package var configuration: Configuration
  /// What makes up the configuration, where devices differ in it; else empty.
  package var documents: [JSONValue] = []

  package init(
    name: String, devices: Int, movement: Movement, radio: RadioModel = .constant(.lte),
    habits: HabitRates = HabitRates(killsPerHour: 0, rebootsPerHour: 0), configuration: Configuration,
    members: [Int]? = nil
  ) {
    precondition(devices >= 0, "devices are counted from 0")
    self.members = members
    self.name = name
    self.devices = devices
    self.movement = movement
    self.radio = radio
    self.habits = habits
    self.configuration = configuration
  }

  /// The places in the fleet of those that are simulated.
  var simulated: [Int] { members ?? Array(0..<devices) }

  /// A word that its devices are told from others by.
  package struct Tag: Equatable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  func key(of index: Int) -> UInt64 { FleetSetup.key(of: index, in: name) }

  /// The number under which a device draws: FNV-1a of the fleet's name above, its place in the fleet below.
  static func key(of index: Int, in name: String) -> UInt64 {
    var hash: UInt32 = 0x811C_9DC5
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return UInt64(hash) << 32 | UInt64(index)
  }
}
