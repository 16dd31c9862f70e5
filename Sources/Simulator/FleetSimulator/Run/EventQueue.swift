import Base

/// The next instant of each device, the earliest first and of the same instant the lowest device first. A device whose
/// turn is over is put back in one step, so that nothing is allocated while a run lasts.
struct EventQueue: QuaternaryHeap {
  struct Entry: Comparable {
    let instant: MonotonicInstant
    let device: Int

    static func < (left: Entry, right: Entry) -> Bool {
      (left.instant, left.device) < (right.instant, right.device)
    }
  }

  var heap: [Entry] = []
  /// Where in the heap each device stands; -1: nowhere.
  private var places: [Int32]

  init(_ instants: [MonotonicInstant?]) {
    places = Array(repeating: -1, count: instants.count)
    for (device, instant) in instants.enumerated() {
      if let instant { heap.append(Entry(instant: instant, device: device)) }
    }
    heap.sort()
    for index in heap.indices { places[heap[index].device] = Int32(index) }
  }

  var first: (instant: MonotonicInstant, device: Int)? { heap.first.map { ($0.instant, $0.device) } }

  /// When a device has its next turn; nil: never.
  func instant(of device: Int) -> MonotonicInstant? {
    places[device] < 0 ? nil : heap[Int(places[device])].instant
  }

  /// Gives the first device its next turn, or none.
  mutating func replaceFirst(with instant: MonotonicInstant?) {
    if let instant {
      precondition(instant >= heap[0].instant, "the next turn of a device is not before this one")
      replaceKey(at: 0, with: Entry(instant: instant, device: heap[0].device))
    } else {
      remove(at: 0)
    }
  }

  /// Gives any device another next turn, or none.
  mutating func update(_ device: Int, to instant: MonotonicInstant?) {
    let place = Int(places[device])
    guard let instant else {
      if place >= 0 { remove(at: place) }
      return
    }
    let entry = Entry(instant: instant, device: device)
    if place < 0 {
      insert(entry)
    } else {
      replaceKey(at: place, with: entry)
    }
  }

  private mutating func remove(at index: Int) {
    places[heap[index].device] = -1
    removeKey(at: index)
  }

  mutating func put(_ entry: Entry, at index: Int) {
    heap[index] = entry
    places[entry.device] = Int32(index)
  }
}

/// The devices' clock over the machine's: `factor` seconds of theirs for each second of the machine.
struct RunClock {
  private let machine = SystemClock()
  private var machineStart: MonotonicInstant
  private var deviceStart: MonotonicInstant
  private(set) var factor: Double
  /// It stands still.
  private(set) var isPaused = false

  /// Goes on from `instant` of the devices, now.
  init(factor: Double, from instant: MonotonicInstant) {
    machineStart = machine.monotonicNow
    deviceStart = instant
    self.factor = factor
  }

  /// It stands still at `instant` of the devices, or goes on from it.
  mutating func setPaused(_ isPaused: Bool, at instant: MonotonicInstant) {
    self.isPaused = isPaused
    (machineStart, deviceStart) = (machine.monotonicNow, instant)
  }

  var now: MonotonicInstant {
    if isPaused { return deviceStart }
    return deviceStart + Nanoseconds(Int64(Double((machine.monotonicNow - machineStart).count) * factor))
  }

  /// When the machine's clock shows what the devices' will show then.
  func machineInstant(of instant: MonotonicInstant) -> MonotonicInstant {
    machineStart + Nanoseconds(Int64((Double((instant - deviceStart).count) / factor).rounded(.up)))
  }

  /// A span of the devices' time on the machine's clock.
  func machineSpan(of span: Nanoseconds) -> Nanoseconds { Nanoseconds(Int64(Double(span.count) / factor)) }
}
