import Vocabulary

/// What happens to a device, and what it is asked for, before its app calls `ready`: held in its order, and taken up then
/// (SDK §19.1).
struct HeldInputs: Sendable {
  enum Item: Sendable {
    case input(EngineInput, at: Moment)
    /// Of a call that takes effect at once; `wasNoted` says that the log has it already.
    case call(EngineCall, wasNoted: Bool)
    case event(EngineEvent)
  }

  /// Of what the sensors say, this much is held; then the oldest goes. A device says as much in a day at rest.
  static let limit = 1_000

  private var items: [Item] = []
  private var inputCount = 0
  private(set) var droppedCount = 0
  var isConnectivityKnown = false
  var isPowerSaveKnown = false

  mutating func hold(_ input: EngineInput, at now: Moment) {
    if inputCount == HeldInputs.limit, let oldest = items.firstIndex(where: \.isInput) {
      items.remove(at: oldest)
      inputCount -= 1
      droppedCount += 1
    }
    items.append(.input(input, at: now))
    inputCount += 1
  }

  /// Behind each call an app waits: none is dropped.
  mutating func hold(_ call: EngineCall, wasNoted: Bool) { items.append(.call(call, wasNoted: wasNoted)) }

  mutating func hold(_ event: EngineEvent) { items.append(.event(event)) }

  mutating func take() -> [Item] {
    defer { (items, inputCount) = ([], 0) }
    return items
  }
}

extension HeldInputs.Item {
  fileprivate var isInput: Bool { if case .input = self { true } else { false } }
}
