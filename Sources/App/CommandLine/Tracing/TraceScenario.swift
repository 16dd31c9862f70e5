import Base
import Formats
import JSON
import Scenario
import World

/// A scenario in which one phone drives a recorded route, as a starting point.
struct TraceScenario {
  let text: String

  /// `file` is the recording as the scenario will name it.
  init(_ route: RouteRecording, file: String, format: RouteFormat) {
    let summary = RouteSummary(route)
    let motion = TraceScenario.motion(of: summary)
    let span = summary.duration ?? motion.estimate(of: summary.distanceMetres)
    // One more minute, in which the phone comes to rest; at most what a virtual run can simulate in minutes.
    let minutes = min(span.count / 60_000_000_000 + 2, 7 * 24 * 60)
    let start = summary.duration == nil ? nil : route.points[0].time
    let begins = start.map { ", start: \(JSONValue.string($0.iso8601Text).serializedText)" } ?? ""
    let timing = summary.duration == nil ? "modelled" : "recorded"
    text = """
      // One phone drives \(TraceScenario.comment(file)) again. docs/scenario.md has every key.
      {
        version: 1,
        name: "trace",
        description: "One phone drives a recorded route, on a good network.",
        clock: { duration: "\(minutes)m", settle: "5m"\(begins) },
        routes: {
          recorded: {
            type: "replay",
            file: \(JSONValue.string(file).serializedText),
            format: "\(format.rawValue)",
            // recorded: at the times of the file. modelled: as fast as the motion drives.
            timing: "\(timing)",
          },
        },
        fleets: {
          phones: { devices: 1, routes: "recorded", motion: "\(motion.rawValue)", network: "lte" },
        },
        thresholds: {
          records_lost: ["count==0"],
          duplicates_unexplained: ["count==0"],
        },
      }

      """
  }

  private enum Locomotion: String {
    case walking, cycling, driving

    /// Speeds in metres per second above which a route is not walked or cycled.
    static let walkingMax = 2.5
    static let cyclingMax = 8.0

    /// Estimates the duration of a route with modelled stops, generously.
    func estimate(of metres: Double) -> Nanoseconds {
      let speed =
        switch self {
        case .walking: 1.0
        case .cycling: 3.0
        case .driving: 6.0
        }
      return .seconds(Int64(min(metres / speed, 1e6)))
    }
  }

  private static func motion(of summary: RouteSummary) -> Locomotion {
    guard let speed = summary.movingSpeed else { return .driving }
    return speed <= Locomotion.walkingMax ? .walking : speed <= Locomotion.cyclingMax ? .cycling : .driving
  }

  /// Returns the text in a form that fits the rest of a line.
  private static func comment(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
  }
}
