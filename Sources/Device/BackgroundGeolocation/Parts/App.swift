import Base
import Engine
import Vocabulary

/// Time to work in the background.
public final class App: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// Asks the system for time: about 30 s on iOS, three minutes on Android. Give the number back to
  /// `stopBackgroundTask`.
  public func startBackgroundTask() -> Int {
    let id = device.perform { core, _ in core.waiting.makeID() } ?? 0
    device.call(.startBackgroundTask(id: id))
    return id
  }

  /// The work is done. A number that is none of a running task has no effect.
  public func stopBackgroundTask(_ id: Int) { device.call(.stopBackgroundTask(id: id)) }

  /// Whether the system saves power, and so holds positions and uploads back.
  public var isPowerSaveMode: Bool { device.platform.isPowerSaving }
}
