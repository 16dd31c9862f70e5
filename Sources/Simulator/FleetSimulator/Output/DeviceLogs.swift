import Base
import Contract
import DeviceLog
import Host
package import Oracle
import Vocabulary

/// Writes the SDK logs of some devices, in the format of their platform. A launch begins with its configuration.
package final class DeviceLogs: Watcher {
  private typealias TimedEntry = (instant: WallInstant, entry: LogEntry)

  private let names: [String]
  private let texts: [LogText]
  private let isLogged: [Bool]
  /// The time of a launch whose configuration is not known yet, and its entries.
  private var launches: [Int: (instant: WallInstant, entries: [TimedEntry])] = [:]
  private let write: (String, [UInt8]) -> Void
  private var pieces: [Int: [UInt8]] = [:]

  private static let pieceBytes = 65_536

  /// The devices are those in `setup.logged`; `write` receives a device's name and the next part of its log.
  package init(_ setup: RunSetup, write: @escaping (String, [UInt8]) -> Void) {
    self.write = write
    names = setup.deviceNames
    isLogged = names.map(setup.logged.contains)
    texts = setup.fleets.flatMap { fleet in
      Array(repeating: LogText(platform: fleet.configuration.platform), count: fleet.simulated.count)
    }
  }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.wall)
    switch event {
    case .launched where isLogged[device]: launches[device] = (now, [])
    case .logged(let entry):
      if launches[device] == nil {
        append([(now, entry)], device)
      } else {
        launches[device]?.entries.append((now, entry))
      }
    case .configured(let configuration):
      guard let launch = launches.removeValue(forKey: device) else { return }
      texts[device].appendBanner(configuration, at: launch.instant, to: &pieces[device, default: []])
      append(launch.entries, device)
    default: break
    }
  }

  private func append(_ entries: [TimedEntry], _ device: Int) {
    for (instant, entry) in entries { texts[device].append(entry, at: instant, to: &pieces[device, default: []]) }
    if let piece = pieces[device], piece.count >= DeviceLogs.pieceBytes { handOver(device) }
  }

  /// Writes what is still buffered.
  package func finish() {
    for (device, launch) in launches { append(launch.entries, device) }
    for device in pieces.keys.sorted() { handOver(device) }
  }

  private func handOver(_ device: Int) {
    guard let piece = pieces.removeValue(forKey: device), !piece.isEmpty else { return }
    write(names[device], piece)
  }
}
