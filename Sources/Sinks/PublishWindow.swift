import Store

/// Selects the messages in flight: many at once, but one per device, so that none overtakes another of its device whatever
/// fails.
struct PublishWindow {
  private static let widthMax = 1_024

  private enum Fate: Equatable {
    case open, acknowledged
    case failed(SinkRejection)
  }

  private var fates: [Fate]
  /// For each message, the index of the next one of the same device.
  private var following: [Int?]
  /// The messages that may be sent.
  private var ready: ArraySlice<Int> = []
  private var underWay = 0

  /// `settled` are the ids of messages that are already acknowledged.
  init(_ messages: ArraySlice<ForwardMessage>, without settled: Set<String>) {
    fates = messages.map { settled.contains($0.id) ? .acknowledged : .open }
    following = Array(repeating: nil, count: messages.count)
    var last: [DeviceIdentity: Int] = [:]
    for (place, message) in messages.enumerated() where fates[place] == .open {
      if let before = last.updateValue(place, forKey: message.arrival.device) {
        following[before] = place
      } else {
        ready.append(place)
      }
    }
  }

  /// Returns the next message to send; nil when none may be sent now.
  mutating func next() -> Int? {
    guard underWay < PublishWindow.widthMax, let place = ready.popFirst() else { return nil }
    underWay += 1
    return place
  }

  /// Whether an answer is pending.
  var isWaiting: Bool { underWay > 0 }

  /// Settles a message in flight. After a failed one the others of its device are not sent.
  mutating func settle(_ place: Int, _ trouble: SinkRejection?) {
    guard fates[place] == .open else { return }
    underWay -= 1
    if let trouble {
      fates[place] = .failed(trouble)
    } else {
      fates[place] = .acknowledged
      if let next = following[place] { ready.append(next) }
    }
  }

  /// The number of acknowledged messages before the first other one.
  var taken: Int { fates.firstIndex { $0 != .acknowledged } ?? fates.count }

  func acknowledged(behind place: Int) -> [Int] { (place..<fates.count).filter { fates[$0] == .acknowledged } }

  func trouble(at place: Int) -> SinkRejection? { if case .failed(let trouble) = fates[place] { trouble } else { nil } }
}
