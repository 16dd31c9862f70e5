import Store

/// Something that was deleted or reset, for viewers who show it still.
struct LiveRemoval: Sendable {
  /// What is not there any more.
  enum Extent: Equatable, Sendable {
    case device(DeviceIdentity)
    case run(String)
    case everything

    func covers(_ device: DeviceIdentity) -> Bool {
      switch self {
      case .device(let removed): removed == device
      case .run(let run): run == device.run
      case .everything: true
      }
    }

    /// After this, nothing is left to say about the other.
    func covers(_ other: Extent) -> Bool {
      switch (self, other) {
      case (.everything, _): true
      case (.run(let run), .device(let device)): run == device.run
      default: self == other
      }
    }

    /// Whether a viewer of the run, or of all, has to hear of it.
    func concerns(_ run: String?) -> Bool {
      guard let run else { return true }
      return switch self {
      case .device(let device): device.run == run
      case .run(let removed): removed == run
      case .everything: true
      }
    }
  }

  /// The board's count when it happened.
  let change: UInt64
  /// Milliseconds since 1970, by the clock of the server.
  let at: Int64
  let extent: Extent
}
