import Synchronization

/// What listeners were told, to be looked at by a test.
final class Inbox<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  func add(_ element: Element) { elements.withLock { $0.append(element) } }

  var all: [Element] { elements.withLock { $0 } }
  var last: Element? { all.last }
}
