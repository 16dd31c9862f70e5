/// A first-in, first-out ring with a fixed capacity. It reports "full" instead of growing, so that its producer must decide
/// what to drop; its storage is allocated once.
package struct BoundedQueue<Element> {
  private var slots: [Element?]
  private var head = 0
  package private(set) var count = 0

  /// `capacity` must be at least 1.
  package init(capacity: Int) {
    precondition(capacity > 0, "a queue that holds nothing is always full")
    slots = Array(repeating: nil, count: capacity)
  }

  package var capacity: Int { slots.count }
  package var isEmpty: Bool { count == 0 }
  package var isFull: Bool { count == slots.count }

  /// The element that `popFirst` returns next.
  package var first: Element? { slots[head] }

  /// Returns false when the queue is full; then nothing is changed and the element remains the caller's.
  package mutating func append(_ element: Element) -> Bool {
    guard count < slots.count else { return false }
    var tail = head + count
    if tail >= slots.count { tail -= slots.count }
    slots[tail] = element
    count += 1
    return true
  }

  /// Removes and returns the oldest element; the ring releases it.
  package mutating func popFirst() -> Element? {
    guard let element = slots[head].take() else { return nil }
    head += 1
    if head == slots.count { head = 0 }
    count -= 1
    return element
  }
}

extension BoundedQueue: Sendable where Element: Sendable {}
