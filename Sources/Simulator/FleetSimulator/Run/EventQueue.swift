import Base

/// The next instant of each device, the earliest first and of the same instant the lowest device first. A device whose
/// turn is over is put back in one step, so that nothing is allocated while a run lasts.
struct EventQueue {
  private struct Entry: Comparable {
    let instant: MonotonicInstant
    let device: Int

    static func < (left: Entry, right: Entry) -> Bool {
      (left.instant, left.device) < (right.instant, right.device)
    }
  }

  private var heap: [Entry] = []

  /// Devices without an instant are left out for good.
  init(_ instants: [MonotonicInstant?]) {
    for (device, instant) in instants.enumerated() {
      if let instant { heap.append(Entry(instant: instant, device: device)) }
    }
    heap.sort()
  }

  var first: (instant: MonotonicInstant, device: Int)? { heap.first.map { ($0.instant, $0.device) } }

  /// Gives the first device its next turn, or none.
  mutating func replaceFirst(with instant: MonotonicInstant?) {
    if let instant {
      heap[0] = Entry(instant: instant, device: heap[0].device)
    } else {
      let last = heap.removeLast()
      if heap.isEmpty { return }
      heap[0] = last
    }
    siftDown()
  }

  private mutating func siftDown() {
    let entry = heap[0]
    var index = 0
    while true {
      let child = 4 * index + 1
      guard child < heap.count else { break }
      var least = child
      for other in child..<min(child + 4, heap.count) where heap[other] < heap[least] { least = other }
      guard heap[least] < entry else { break }
      heap[index] = heap[least]
      index = least
    }
    heap[index] = entry
  }
}
