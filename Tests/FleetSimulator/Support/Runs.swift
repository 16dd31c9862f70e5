import Base
import Contract
import FleetSimulator
import Store
import World

/// Small runs for tests.
enum Runs {
  static func configuration(batch: Bool = true, _ platform: DevicePlatform = .android) -> Configuration {
    var configuration = Configuration(platform: platform)
    configuration.http.batchSync = batch
    configuration.http.maxBatchSize = 50
    return configuration
  }

  static func drivers(
    _ devices: Int, name: String = "cars", blackouts: [Blackout] = [], habits: HabitRates? = nil,
    configuration: Configuration = Runs.configuration(), radio: RadioModel = .urban
  ) -> FleetSetup {
    FleetSetup(
      name: name, devices: devices, movement: .shuttle(.car), radio: radio,
      habits: habits ?? HabitRates(killsPerHour: 0, rebootsPerHour: 0), configuration: configuration,
      blackouts: blackouts)
  }

  /// From ten in the morning on 2 March 2026, a Monday.
  static func setup(seed: UInt64, minutes: Int64 = 20, _ fleets: FleetSetup...) -> RunSetup {
    RunSetup(
      seed: seed, start: WallInstant(millisecondsSince1970: 1_772_445_600_000), duration: .seconds(minutes * 60),
      settle: .seconds(600), fleets: fleets)
  }

  static func run(_ setup: RunSetup) throws -> RunReport {
    try FleetRun(setup, store: SQLiteStore(StoreConfiguration(folder: ":memory:"))).run()
  }
}
