/// Whose records these are: the device's own name within a run. Runs keep parallel tests on one server apart; the run of
/// ordinary traffic is the empty text.
package struct DeviceIdentity: Hashable, Sendable {
  package let run: String
  package let name: String

  package init(run: String = "", name: String) {
    self.run = run
    self.name = name
  }
}
