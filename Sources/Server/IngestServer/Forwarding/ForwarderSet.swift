import Base
import Store
import Synchronization

/// All forwarders of a server; none without sinks.
package final class ForwarderSet: Sendable {
  private struct State {
    var forwarders: [Forwarder] = []
    var board: ArrivalBoard?
  }

  private let state = Mutex(State())

  /// The owner of their tickets; the number is that of the forwarder.
  private static let owner = -2

  package init() {}

  func start(
    _ targets: [ForwardTarget], _ board: ArrivalBoard, _ readers: ReadPool, _ writer: WriterThread,
    by leadership: (@Sendable (_ sink: String) -> () -> Bool)? = nil,
    _ notify: @escaping @Sendable (ServerNotice) -> Void
  ) throws(ServerError) {
    state.withLock { $0.board = board }
    for (number, target) in targets.enumerated() {
      let ticket = Ticket(owner: ForwarderSet.owner, number: UInt64(number))
      let forwarder: Forwarder
      do throws(ServerError) {
        forwarder = try Forwarder(
          target,
          Forwarder.Dependencies(
            board: board, readers: readers, submit: { writer.submit($0, ticket: ticket) }, notify: notify,
            leadership: ForwarderSet.leadership(leadership, of: target.name)))
      } catch {
        stop()
        throw error
      }
      state.withLock { $0.forwarders.append(forwarder) }
    }
  }

  private static func leadership(
    _ make: (@Sendable (_ sink: String) -> () -> Bool)?, of sink: String
  ) -> (@Sendable () -> () -> Bool)? {
    guard let make else { return nil }
    return { make(sink) }
  }

  /// Returns false when the job was not a forwarder's.
  func take(_ completion: Completion) -> Bool {
    guard completion.ticket.owner == ForwarderSet.owner else { return false }
    var isDone = true
    if case .unavailable = completion.result { isDone = false }
    let number = Int(completion.ticket.number)
    let forwarder = state.withLock { $0.forwarders.indices.contains(number) ? $0.forwarders[number] : nil }
    forwarder?.noted(isDone)
    return true
  }

  /// Stops after the batches in flight.
  func stop() {
    for forwarder in state.withLock({ $0.forwarders }) { forwarder.stop() }
  }

  var figures: [ForwardFigures] { state.withLock { $0.forwarders }.map(\.figures) }

  /// The number of days past retention that are kept for sinks.
  var heldPartitions: Int { state.withLock { $0.board }?.heldPartitions ?? 0 }

  func registered() -> MetricsRegistry {
    var registry = MetricsRegistry()
    let figures = figures
    guard !figures.isEmpty else { return registry }
    for sink in figures {
      let counter = { (name: String, help: String, value: UInt64) in
        registry.counter(name, help: help, labels: ["sink": sink.name]).add(value)
      }
      counter("rollingroad_forward_sent_total", "Records that a sink has acknowledged.", sink.sent)
      counter(
        "rollingroad_forward_retries_total", "Failed attempts to deliver, which are repeated.", sink.retried)
      counter("rollingroad_forward_refused_total", "Records that a sink refused for good.", sink.refused)
      counter(
        "rollingroad_forward_lost_total", "Records that --retain-size deleted before they were forwarded.",
        UInt64(max(0, sink.lost)))
      let gauge = { (name: String, help: String, value: Int64) in
        registry.gauge(name, help: help, labels: ["sink": sink.name]).set(value)
      }
      gauge("rollingroad_forward_lag_records", "Records that are not forwarded yet.", sink.lag)
      gauge(
        "rollingroad_forward_lag_seconds", "Age of the oldest record that is not forwarded yet.",
        sink.lagMilliseconds / 1_000)
      gauge("rollingroad_forward_up", "1 while a sink takes records, 0 while it does not.", sink.trouble == nil ? 1 : 0)
    }
    registry.gauge(
      "rollingroad_forward_held_partitions",
      help: "Days past --retain-days that are kept until their records are forwarded."
    ).set(Int64(heldPartitions))
    return registry
  }
}
