import Base

extension RunSummary {
  /// What a metric, or a part of it, came to; nil when nothing was measured.
  package func figure(_ name: String) -> Figure? { metrics.first { $0.name == name }?.figure }

  /// How many uploads there were.
  package var uploadCount: Int { if case .counter(let count)? = figure("uploads") { count } else { 0 } }

  /// The date and time at which the run began, as in ISO 8601.
  package var startText: String { start.iso8601Text }
}
