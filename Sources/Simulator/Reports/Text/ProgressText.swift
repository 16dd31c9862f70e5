package import Base
package import FleetSimulator

/// How far a run has come, on one line.
package enum ProgressText {
  /// `left` is what the rest will take on the wall's clock; nil when nobody can tell yet.
  package static func line(_ progress: RunProgress, left: Nanoseconds?) -> String {
    var parts = [
      "\(Int(progress.share * 100)) %", NumberText.count(progress.devices, "device"),
      "\(NumberText.figure(progress.uploadsPerSecond)) uploads/s",
    ]
    if let p95 = progress.p95Milliseconds { parts.append("p95 \(NumberText.span(milliseconds: p95))") }
    parts.append("backlog \(NumberText.count(progress.backlog))")
    parts.append("errors \(NumberText.count(progress.errors))")
    if let left { parts.append("\(NumberText.span(left)) left") }
    return parts.joined(separator: "  ")
  }

  /// The same with a bar before it, for a terminal.
  package static func bar(_ progress: RunProgress, left: Nanoseconds?) -> String {
    let width = 20
    let filled = min(max(Int(progress.share * Double(width)), 0), width)
    return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled) + " "
      + line(progress, left: left)
  }
}
