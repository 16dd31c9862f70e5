/// A fleet's setup, once for all its devices.
final class SharedFleet {
  let setup: FleetSetup

  init(_ setup: FleetSetup) { self.setup = setup }
}
