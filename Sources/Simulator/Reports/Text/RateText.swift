import Base
import FleetSimulator

/// How fast a run went at its server, how uploads failed, and where and when it took place.
enum RateText {
  /// What the server got in a second of its own time first, then what the devices sent in one of theirs.
  static func uploads(_ count: Int, of summary: RunSummary) -> String {
    let simulated = NumberText.figure(Double(count) / max(summary.ended.seconds, 1)) + "/s"
    guard let place = summary.place, summary.mode != "realtime" else { return simulated }
    return
      "\(NumberText.figure(Double(count) / max(place.seconds, 0.001)))/s at the server, \(simulated) of the devices' time"
  }

  /// The most frequent first; empty when none failed.
  static func failures(of summary: RunSummary) -> String {
    summary.answers.filter { !$0.key.hasPrefix("status 2") }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.key): \(NumberText.count($0.value))" }.joined(separator: ", ")
  }

  /// Nil in virtual time.
  static func place(of summary: RunSummary) -> String? {
    summary.place.map { place in
      "at \(place.target), \(place.start.iso8601Text) to \(place.end.iso8601Text), "
        + "\(NumberText.span(milliseconds: place.seconds * 1_000)) by the clock"
    }
  }
}
