import FleetSimulator
import Shell

/// A run that may have written into the folder of `--out` before. Its files that the next run does not overwrite would
/// be mistaken for results of that run. Files with other names are not its own, and stay.
struct EarlierOutputs {
  private let bundle: String
  /// The number of devices of each fleet, by the prefix of their logs' names.
  private var numbers: [String: Int] = [:]

  /// Nil unless the file is a summary of a run.
  init?(summaryAt path: String) {
    do throws(SummaryError) {
      let summary = try RunSummary.read(path) { path in
        var bytes: [UInt8] = []
        let isRead = LineFile.read(path) { piece in
          bytes += piece
          return true
        }
        return isRead ? bytes : nil
      }
      let shards = summary.shard.flatMap { $0.split(separator: "/").last }.flatMap { Int($0) } ?? 1
      self.init(
        summary.scenario, seed: summary.seed,
        fleets: summary.fleets.map { ($0.name, $0.devices.multipliedReportingOverflow(by: shards).partialValue) })
    } catch { return nil }
  }

  /// Derives the names from a run of the same scenario and seed, which may have been killed before it wrote a summary.
  init(_ scenario: String, _ setup: RunSetup) {
    self.init(scenario, seed: setup.seed, fleets: setup.fleets.map { ($0.name, $0.devices) })
  }

  private init(_ scenario: String, seed: UInt64, fleets: [(name: String, devices: Int)]) {
    bundle = FailureBundle.folder(name: scenario, seed: seed)
    for fleet in fleets {
      for name in [RunOutputs.fileName(fleet.name), FailureBundle.fileName(fleet.name)] {
        numbers[name] = max(numbers[name, default: 0], fleet.devices)
      }
    }
  }

  /// Removes its device logs, and the failure that it saved.
  func remove(from folder: OutputFolder, logs: Set<String>) {
    for place in logs.union([bundle + "/logs"]) { folder.remove(folder.files(in: place).filter(isLog), in: place) }
    let kept = folder.files(in: bundle).filter(FailureBundle.files.contains)
    folder.remove(kept, in: bundle)
    if !kept.isEmpty { folder.removeFolder(FailureBundle.root) }
  }

  /// `cars-17.log`
  private func isLog(_ file: String) -> Bool {
    guard file.hasSuffix(".log"), let end = file.lastIndex(of: "-") else { return false }
    let text = file[end...].dropFirst().dropLast(4)
    guard let number = Int(text), "\(number)" == text else { return false }
    return number < numbers[String(file[..<end]), default: 0]
  }
}
