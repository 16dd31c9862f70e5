package import Base
package import FleetSimulator

/// The progress of a run on one line.
package enum ProgressText {
  /// Returns the line; `left` is the estimated remaining wall-clock time, nil when unknown.
  package static func line(_ progress: RunProgress, left: Nanoseconds?) -> String {
    text(parts(progress, left: left))
  }

  /// Returns the same with a bar, for a terminal. Without enough room the least important parts are dropped, because a
  /// wrapped line could not be overwritten.
  package static func bar(_ progress: RunProgress, left: Nanoseconds?, width: Int = .max) -> String {
    let length = 20
    let filled = min(max(Int(progress.share * Double(length)), 0), length)
    var bar = String(repeating: "█", count: filled) + String(repeating: "░", count: length - filled) + " "
    var parts = parts(progress, left: left)
    while bar.count + text(parts).count > width {
      if let least = parts.indices.max(by: { parts[$0].rank < parts[$1].rank }), parts[least].rank > 0 {
        parts.remove(at: least)
      } else if !bar.isEmpty {
        bar = ""
      } else {
        return String(text(parts).prefix(width))
      }
    }
    return bar + text(parts)
  }

  /// A part of the line, in order of display; rank 0 always stays, and the highest rank is dropped first.
  private typealias Part = (text: String, rank: Int)

  private static func parts(_ progress: RunProgress, left: Nanoseconds?) -> [Part] {
    var parts: [Part] = [
      (progress.isSettling ? "settling" : "\(Int(progress.share * 100)) %", 0),
      (NumberText.count(progress.devices, "device"), 5),
      ("\(NumberText.figure(progress.uploadsPerSecond)) uploads/s", 3),
    ]
    if let p95 = progress.p95Milliseconds { parts.append(("p95 \(NumberText.span(milliseconds: p95))", 4)) }
    if let open = progress.connections { parts.append((NumberText.count(open, "connection"), 6)) }
    parts.append(("backlog \(NumberText.count(progress.backlog))", 2))
    let most = progress.mostFrequentError.map { " (\($0))" } ?? ""
    parts.append(("errors \(NumberText.count(progress.errors))\(most)", 1))
    if let most = progress.settlesFor {
      parts.append(("\(NumberText.span(most)) left at most", 0))
    } else if let left, !progress.isSettling {
      parts.append(("\(NumberText.span(left)) left", 0))
    }
    return parts
  }

  private static func text(_ parts: [Part]) -> String { parts.map(\.text).joined(separator: "  ") }
}
