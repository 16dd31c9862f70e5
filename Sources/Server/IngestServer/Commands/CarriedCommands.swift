import Store

/// Commands that an answer carries to a device, until it is known whether they arrived.
struct CarriedCommands: Equatable {
  let device: DeviceIdentity
  let ids: [Int64]

  /// Nil for none.
  init?(_ commands: [TakenCommand], to device: DeviceIdentity) {
    guard !commands.isEmpty else { return nil }
    self.init(ids: commands.map(\.id), to: device)
  }

  init(ids: [Int64], to device: DeviceIdentity) {
    self.device = device
    self.ids = ids
  }
}
