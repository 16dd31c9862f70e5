package import Base
package import Contract
package import Scenario
package import World

/// The oracle's knowledge of a run before it begins. It comes from the scenario and contains nothing about how phones are simulated.
package struct JudgedRun {
  /// A group of devices with one configuration.
  package struct Fleet {
    package let name: String
    /// The indices of the simulated devices.
    package let members: [Int]
    /// The configuration in the scenario; nil where a preset of a server changes it.
    package let configuration: Configuration?
    package let behaviour: SDKBehaviour

    package init(name: String, members: [Int], configuration: Configuration?, behaviour: SDKBehaviour) {
      (self.name, self.members, self.configuration, self.behaviour) = (name, members, configuration, behaviour)
    }
  }

  package let seed: UInt64
  package let fleets: [Fleet]
  /// The homes of the devices, in order.
  let homes: [DeviceHome]
  package let radio: RadioTable
  package let sight: StoreVisibility
  /// The local time of the devices: an offset from UTC, and its changes in order.
  package var zoneOffsetSeconds = 0
  package var zoneChanges: [(instant: WallInstant, offsetSeconds: Int)] = []
  /// The names of the headers that the target's section of the scenario sets.
  package var targetHeaders: [String] = []
  /// The invariants that are checked, those whose violation ends the drives, and the one that ends the run.
  package var checked = Invariant.allCases
  package var ending: Set<Invariant> = []
  package var breaking: Invariant?
  /// The URL at which phones register; nil without tokens.
  package var tokenURL: String?
  package var tokenLifetime: Nanoseconds?
  /// Whether a fault of the scenario sends commands, so that commands in answers are expected.
  package var ordersCommands = false
  /// The fields that the server's store is said to keep.
  package var keptFields: [KeptField] = []
  /// The length of the longest body that the server in the process takes; nil for another server.
  package var bodyBytesMax: Int?
  /// Seconds of device time per second of network time.
  package var clockFactor = 1.0
  /// How late devices may have their turns by their own clock without another verdict; zero in virtual time.
  package var lateness = Nanoseconds.zero
  /// With this lateness devices by the machine's clock still keep all required times.
  package static let latenessMost = Nanoseconds.seconds(10)

  package init(seed: UInt64, fleets: [Fleet], radio: RadioTable, sight: StoreVisibility) {
    (self.seed, self.fleets, self.radio, self.sight) = (seed, fleets, radio, sight)
    homes = fleets.enumerated().flatMap { number, fleet in
      fleet.members.map { index in
        DeviceHome(name: "\(fleet.name)-\(index)", fleet: number, fleetName: fleet.name, index: index, seed: seed)
      }
    }
  }
}

/// The extent to which a run can observe its server's store.
package enum StoreVisibility {
  /// The server is part of the run: everything.
  case inside
  /// Its answers, and whether its store has a record.
  case questions
  /// Its answers, and the records that its store shows.
  case listing
  /// Its answers only.
  case none
}
