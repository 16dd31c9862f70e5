import Base
import World

/// Which device makes which trip: the first of the fleet that is free. All that it depends on are the trips themselves, so
/// it is the same whichever devices a process simulates.
struct TripOrders {
  private(set) var orders: [[Errands.Order]] = []
  /// Trips that found no free device.
  private(set) var dropped = 0

  /// `key` gives the number under which a device draws.
  init(
    at seconds: [Double], start: MonotonicInstant, distance: Distribution, on ground: Ground, devicesMax: Int,
    seed: UInt64, key: (Int) -> UInt64
  ) {
    var free = MinHeap<Int>()
    var busy = MinHeap<Busy>()
    for (number, second) in seconds.enumerated() {
      let instant = MonotonicInstant(secondsRoundedUp: start.seconds + second)
      while let first = busy.first, first.end <= instant { free.insert(busy.removeFirst().device) }
      let device: Int
      if free.first != nil {
        device = free.removeFirst()
      } else if orders.count < devicesMax {
        device = orders.count
        orders.append([])
      } else {
        dropped += 1
        continue
      }
      var draws = RandomStream(
        seed: seed, device: key(0), concern: FleetConcern.tripDistance.rawValue, n: UInt64(number) << 2)
      let order = Errands.Order(start: instant, number: UInt64(number), metres: distance.draw(from: &draws))
      orders[device].append(order)
      var errands =
        busyErrands[device]
        ?? Errands(
          on: ground, orders: [order], seed: seed, device: key(device), index: device)
      let end = errands.end(of: order, at: instant)
      busyErrands[device] = errands
      busy.insert(Busy(end: end, device: device))
    }
    busyErrands = [:]
  }

  /// Where each device is after its last trip.
  private var busyErrands: [Int: Errands] = [:]

  private struct Busy: Comparable {
    let end: MonotonicInstant
    let device: Int

    static func < (left: Busy, right: Busy) -> Bool { (left.end, left.device) < (right.end, right.device) }
  }
}

/// The smallest comes first.
struct MinHeap<Element: Comparable> {
  private var elements: [Element] = []

  var first: Element? { elements.first }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() -> Element {
    elements.swapAt(0, elements.count - 1)
    let first = elements.removeLast()
    var index = 0
    while 2 * index + 1 < elements.count {
      var child = 2 * index + 1
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < elements[index] else { break }
      elements.swapAt(child, index)
      index = child
    }
    return first
  }
}
