/// How the process came to life, as its first input tells.
package struct Launch: Equatable, Sendable {
  /// Nothing was persisted yet.
  package var isFirstBoot = false
  /// The system started the process, for a region, a fence, a fetch; not the user.
  package var isInBackground = false
  /// The first start since the device was switched on.
  package var didReboot = false

  package init(isFirstBoot: Bool = false, isInBackground: Bool = false, didReboot: Bool = false) {
    self.isFirstBoot = isFirstBoot
    self.isInBackground = isInBackground
    self.didReboot = didReboot
  }
}
