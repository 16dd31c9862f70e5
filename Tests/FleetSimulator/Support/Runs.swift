import Base
import Contract
import IngestServer
import Scenario
import ServerSupport
import Store
import World

@testable import FleetSimulator

/// Small runs for tests.
enum Runs {
  static let city: City = {
    guard let center = Coordinate(latitude: 48.137, longitude: 11.575) else {
      preconditionFailure("the centre of the city is a place")
    }
    return City(seed: 1, center: center, columns: 96, rows: 96)
  }()

  static func configuration(batch: Bool = true, _ platform: DevicePlatform = .android) -> Configuration {
    var configuration = Configuration(platform: platform)
    configuration.http.batchSync = batch
    configuration.http.maxBatchSize = 50
    return configuration
  }

  static func drivers(
    _ devices: Int, name: String = "cars", habits: HabitRates? = nil,
    configuration: Configuration = Runs.configuration(), radio: RadioModel = .urban
  ) -> FleetSetup {
    FleetSetup(
      name: name, devices: devices, movement: .shuttle(.car, in: city), radio: radio,
      habits: habits ?? HabitRates(killsPerHour: 0, rebootsPerHour: 0), configuration: configuration)
  }

  /// Without motion: for what concerns devices and not their drives.
  static func parked(_ devices: Int, name: String) -> FleetSetup {
    var fleet = drivers(devices, name: name, radio: .constant(.lte))
    fleet.movement = .plan(.parkedCar, in: city)
    return fleet
  }

  /// From ten in the morning on 2 March 2026, a Monday.
  static func setup(
    seed: UInt64, minutes: Int64 = 20, faults: [Fault] = [], _ fleets: FleetSetup...
  ) -> RunSetup {
    RunSetup(
      seed: seed, start: WallInstant(millisecondsSince1970: 1_772_445_600_000), duration: .seconds(minutes * 60),
      settle: .seconds(600), fleets: fleets, faults: faults)
  }

  static func run(_ setup: RunSetup) throws -> RunReport {
    try FleetRun(setup, store: SQLiteStore(StoreConfiguration(folder: ":memory:"))).run()
  }

  static func store() throws -> SQLiteStore { try SQLiteStore(StoreConfiguration(folder: ":memory:")) }

  /// A server of ours on a free port, with nothing on disk.
  static func server(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws -> IngestServer {
    var configuration = ServerConfiguration.loopback()
    configure(&configuration)
    return try IngestServer(configuration)
  }

  /// And what happened in it.
  static func watch(_ setup: RunSetup) throws -> (RunReport, SeenEvents) {
    let seen = SeenEvents(from: setup.start)
    let store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    return (try FleetRun(setup, store: store, watchers: [seen]).run(), seen)
  }
}

extension Fault {
  /// No network for a while.
  static func tunnel(
    _ seconds: Range<Int64>, fleet: String? = nil, place: Polygon? = nil, name: String = "tunnel"
  ) -> Fault {
    var selection = FaultSelection()
    (selection.fleet, selection.place) = (fleet, place)
    return Fault(
      name: name, start: .seconds(seconds.lowerBound), duration: .seconds(seconds.upperBound - seconds.lowerBound),
      selection: selection, action: .network("none"))
  }
}
