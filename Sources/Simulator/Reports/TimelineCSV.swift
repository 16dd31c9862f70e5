import Base
package import FleetSimulator

/// The timeline of a run as CSV (RFC 4180): a line for each completed interval.
package enum TimelineCSV {
  /// The names of the columns. Times are those of the ends of intervals, since the start of the run.
  package static let head =
    "seconds,created,delivered,uploads,failed,bytes,backlog,devices_active,devices_moving,in_flight,"
    + "upload_p50_ms,upload_p95_ms,upload_p99_ms,delivery_p50_ms,delivery_p95_ms,delivery_p99_ms\r\n"

  /// Returns the lines of the intervals from an index on.
  package static func lines(of timeline: Timeline, from first: Int) -> String {
    var text = ""
    for index in first..<timeline.intervals.count {
      let interval = timeline.intervals[index]
      let counts = [
        Int(timeline.width.count / 1_000_000_000) * (index + 1), interval.created, interval.delivered, interval.uploads,
        interval.failed, interval.bytes, interval.backlog, interval.active, interval.moving, interval.inFlight,
      ]
      let spreads = [interval.uploadDuration, interval.deliveryLatency].flatMap { spread in
        [50.0, 95, 99].map { spread.percentile($0).map { number($0) } ?? "" }
      }
      text += (counts.map { "\($0)" } + spreads).joined(separator: ",") + "\r\n"
    }
    return text
  }

  /// Formats without separators between thousands.
  private static func number(_ milliseconds: Double) -> String {
    NumberText.decimal(milliseconds, places: 3).filter { $0 != "," }
  }
}
