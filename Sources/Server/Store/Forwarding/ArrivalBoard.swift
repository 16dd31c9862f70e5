import Synchronization

/// Reports to readers where each partition ends, as of the last commit. All marks change together, so that they are a
/// consistent cut: they include everything that was committed before any record in them.
package final class ArrivalBoard: Sendable {
  private struct State {
    var marks: [ArrivalMark] = []
    var lost: [String: Int64] = [:]
    var lags: [String: SinkLag] = [:]
    var held = 0
    var listeners: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var marks: [ArrivalMark] { state.withLock { $0.marks } }

  /// Returns how many records `retainBytes` has deleted before they were forwarded to this sink.
  package func lost(by sink: String) -> Int64 { state.withLock { $0.lost[sink] ?? 0 } }

  /// The number of days that `retainDays` would delete and that a sink has not read completely.
  package var heldPartitions: Int { state.withLock { $0.held } }

  /// Adds a listener, called on the writer's thread after commits; it must not block.
  package func listen(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(listener) } }

  func publish(_ marks: [ArrivalMark]) {
    let listeners = state.withLock { state -> [@Sendable () -> Void] in
      guard marks != state.marks else { return [] }
      state.marks = marks
      return state.listeners
    }
    for listener in listeners { listener() }
  }

  /// Publishes the last readable record of a store in which all records have one order.
  package func publish(end: ArrivalCursor) { publish([ArrivalMark(partition: end.group, day: 0, end: end.row)]) }

  /// Sets the lag of a sink, where the marks do not tell it.
  package func note(lag: SinkLag, of sink: String) { state.withLock { $0.lags[sink] = lag } }

  package func lag(of sink: String) -> SinkLag? { state.withLock { $0.lags[sink] } }

  package func lose(_ count: Int64, of sink: String) { state.withLock { $0.lost[sink, default: 0] += count } }

  package func hold(_ count: Int) { state.withLock { $0.held = count } }
}

/// The records that wait for a sink.
package struct SinkLag: Equatable, Sendable {
  package let records: Int64
  /// When the oldest of them was received, in milliseconds since 1970; nil when there are none.
  package let since: Int64?

  package init(records: Int64, since: Int64?) {
    self.records = records
    self.since = since
  }
}
