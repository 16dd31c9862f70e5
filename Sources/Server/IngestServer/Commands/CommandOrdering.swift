import JSON
import Store

/// A request that is queued command by command, each in a job of its own. What is queued when the store gives up stays
/// queued; with a key the request can be repeated without doubling it.
struct CommandOrdering {
  /// One command that the store has taken.
  struct Taken {
    let id: Int64
    let order: CommandOrder
    /// An open order with the same key and target was there already.
    let wasQueued: Bool
  }

  private(set) var waiting: [CommandOrder]
  private(set) var taken: [Taken] = []
  let warnings: [String]

  init(_ orders: [CommandOrder], warnings: [String]) {
    precondition(!orders.isEmpty, "a request without commands was refused")
    waiting = orders.reversed()
    self.warnings = warnings
  }

  /// The next command to queue.
  var next: CommandOrder? { waiting.last }

  mutating func take(id: Int64, isNew: Bool) {
    taken.append(Taken(id: id, order: waiting.removeLast(), wasQueued: !isNew))
  }
}
