internal import Base

/// What one expects of a run before it begins; `--dry-run` prints it.
package struct RunPlan: Equatable, Sendable {
  package let fleets: [FleetPlan]
  package let peakDevices: Int
  /// What the process takes at most, as far as the number of devices and the longest silence decide it.
  package let memoryBytes: Double
  private let scenario: Scenario

  /// An idle device with engine, queue and link (docs/architecture.md).
  private static let bytesPerDevice = 10_000.0
  /// A record that waits in a queue.
  private static let bytesPerRecord = 700.0
  /// The program, the server and its caches.
  private static let bytesAtRest = 64e6
  /// Into so many rows the run is cut.
  private static let rows = 12

  package init(_ scenario: Scenario) {
    self.scenario = scenario
    fleets = scenario.fleets.map { FleetPlan(of: $0, in: scenario) }
    let sums = (0..<FleetPlan.pieces).map { piece in
      scenario.fleets.reduce(0) {
        $0 + FleetPlan.devices(of: $1.value, at: (Double(piece) + 0.5) / Double(FleetPlan.pieces), in: scenario)
      }
    }
    peakDevices = Int((sums.max() ?? 0).rounded(.up))
    let recordsPerSecond = fleets.reduce(0) { $0 + $1.records } / max(1, scenario.clock.duration.seconds)
    let silence = scenario.faults.map { $0.silenceSeconds(in: scenario) }.max() ?? 0
    memoryBytes =
      Self.bytesAtRest + Double(peakDevices) * Self.bytesPerDevice + recordsPerSecond * silence * Self.bytesPerRecord
  }
}

extension RunPlan {
  /// The plan as a text of several lines.
  package var text: String {
    let clock = scenario.clock
    let duration = Measure.duration.text(clock.duration.seconds)
    let settle = Measure.duration.text(clock.settle.seconds)
    var lines = [
      "plan of \(scenario.name): \(clock.mode.rawValue), seed \(scenario.seed), \(duration) and \(settle) to settle"
    ]
    lines += scenario.replacements + (scenario.anonymityNote.map { ["note: \($0)"] } ?? []) + [""]
    lines += Self.table(
      [["fleet", "devices", "device-hours", "records", "requests"]]
        + fleets.map { fleet in
          [
            fleet.name, "\(fleet.peakDevices)", fleet.deviceHours.tenths, fleet.records.wholeText,
            fleet.requests.wholeText,
          ]
        })
    lines += ["", "devices over time"]
    lines += Self.table(
      [["at"] + fleets.map(\.name)]
        + (0...Self.rows).map { row in
          let share = Double(row) / Double(Self.rows)
          let seconds = (share * clock.duration.seconds).rounded()
          return [Measure.duration.text(seconds)]
            + scenario.fleets.map { FleetPlan.devices(of: $0.value, at: share, in: scenario).rounded().wholeText }
        })
    let total = fleets.reduce((records: 0.0, requests: 0.0)) { ($0.records + $1.records, $0.requests + $1.requests) }
    lines += [
      "", "faults: \(scenario.faults.isEmpty ? "none" : scenario.faults.map(\.name).joined(separator: ", "))",
      "expected, without chance and faults: \(total.records.wholeText) records, \(total.requests.wholeText) requests,"
        + " at most \(peakDevices) device\(peakDevices == 1 ? "" : "s"), about \((memoryBytes / 1e6).wholeText) MB",
    ]
    return lines.joined(separator: "\n")
  }

  private static func table(_ rows: [[String]]) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      "  "
        + row.enumerated().map { column, cell in
          let space = String(repeating: " ", count: widths[column] - cell.count)
          return column == 0 ? cell + space : space + cell
        }.joined(separator: "  ")
    }
  }
}

extension Fault {
  /// How long a network lets nothing through, for the devices that it befalls.
  fileprivate func silenceSeconds(in scenario: Scenario) -> Double {
    guard case .network(let name) = action, case .link(let link)? = scenario.network(named: name),
      link.upBitsPerSecond == 0
    else { return 0 }
    return duration.seconds * (selection.fraction ?? 1)
  }
}

extension Double {
  fileprivate var wholeText: String { magnitude < 1e15 ? "\(Int64(rounded()))" : "\(self)" }

  fileprivate var tenths: String { "\((self * 10).rounded() / 10)" }
}
