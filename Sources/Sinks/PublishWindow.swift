import Store

/// Which messages are under way: many at once, of each device one, so that none overtakes another of its device whatever fails.
struct PublishWindow {
  private static let widthMax = 1_024

  private enum Fate: Equatable {
    case open, acknowledged
    case failed(SinkRejection)
  }

  private var fates: [Fate]
  /// The places behind each place that are of the same device.
  private var following: [Int?]
  /// May be sent.
  private var ready: ArraySlice<Int> = []
  private var underWay = 0

  /// Messages with these ids are acknowledged already.
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

  /// The next to be sent; nil when none may be now.
  mutating func next() -> Int? {
    guard underWay < PublishWindow.widthMax, let place = ready.popFirst() else { return nil }
    underWay += 1
    return place
  }

  /// An answer is to come.
  var isWaiting: Bool { underWay > 0 }

  /// A message that was under way has its answer. Behind one that failed the others of its device stay.
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

  /// So many of the first are acknowledged.
  var taken: Int { fates.firstIndex { $0 != .acknowledged } ?? fates.count }

  func acknowledged(behind place: Int) -> [Int] { (place..<fates.count).filter { fates[$0] == .acknowledged } }

  func trouble(at place: Int) -> SinkRejection? { if case .failed(let trouble) = fates[place] { trouble } else { nil } }
}
