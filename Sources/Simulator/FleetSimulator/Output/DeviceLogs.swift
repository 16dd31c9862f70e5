import Base
import Contract
import DeviceLog
import Host
package import Oracle
import Vocabulary

/// Writes the SDK logs of some devices, in the format of their platform.
package final class DeviceLogs: Watcher {
  private let names: [String]
  private let texts: [LogText]
  private let write: (String, [UInt8]) -> Void
  private var pieces: [Int: [UInt8]] = [:]

  private static let pieceBytes = 65_536

  /// The devices are those in `setup.logged`; `write` receives a device's name and the next part of its log.
  package init(_ setup: RunSetup, write: @escaping (String, [UInt8]) -> Void) {
    self.write = write
    names = setup.deviceNames
    texts = setup.fleets.flatMap { fleet in
      Array(repeating: LogText(platform: fleet.configuration.platform), count: fleet.simulated.count)
    }
  }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    guard case .logged(let entry) = event else { return }
    let device = context.device
    texts[device].append(entry, at: context.now.wall, to: &pieces[device, default: []])
    if let piece = pieces[device], piece.count >= DeviceLogs.pieceBytes { handOver(device) }
  }

  /// Writes what is still buffered.
  package func finish() {
    for device in pieces.keys.sorted() { handOver(device) }
  }

  private func handOver(_ device: Int) {
    guard let piece = pieces.removeValue(forKey: device), !piece.isEmpty else { return }
    write(names[device], piece)
  }
}
