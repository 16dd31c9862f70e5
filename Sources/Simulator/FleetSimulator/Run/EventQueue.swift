import Base

/// The next instant of each device, earliest first and, at the same instant, lowest device first. The first device is
/// rescheduled in one step, and nothing is allocated during a run.
struct EventQueue: QuaternaryHeap {
  struct Entry: Comparable {
    let instant: MonotonicInstant
    let device: Int

    static func < (left: Entry, right: Entry) -> Bool {
      (left.instant, left.device) < (right.instant, right.device)
    }
  }

  var heap: [Entry] = []
  /// The position of each device in the heap; -1: not in it.
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

  /// Returns the time of a device's next turn; nil: never.
  func instant(of device: Int) -> MonotonicInstant? {
    places[device] < 0 ? nil : heap[Int(places[device])].instant
  }

  /// Reschedules the first device, or removes it.
  mutating func replaceFirst(with instant: MonotonicInstant?) {
    if let instant {
      precondition(instant >= heap[0].instant, "the next turn of a device is not before this one")
      replaceKey(at: 0, with: Entry(instant: instant, device: heap[0].device))
    } else {
      remove(at: 0)
    }
  }

  /// Reschedules any device, or removes it.
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

/// Maps device time to machine time: `factor` seconds of the devices for each second of the machine.
struct RunClock {
  private let machine = SystemClock()
  private var machineStart: MonotonicInstant
  private var deviceStart: MonotonicInstant
  private(set) var factor: Double
  /// Whether the clock is paused.
  private(set) var isPaused = false

  /// Starts the clock, with `instant` of the devices now.
  init(factor: Double, from instant: MonotonicInstant) {
    machineStart = machine.monotonicNow
    deviceStart = instant
    self.factor = factor
  }

  /// Pauses the clock at `instant` of the devices, or resumes it from there.
  mutating func setPaused(_ isPaused: Bool, at instant: MonotonicInstant) {
    self.isPaused = isPaused
    (machineStart, deviceStart) = (machine.monotonicNow, instant)
  }

  var now: MonotonicInstant {
    if isPaused { return deviceStart }
    return deviceStart + Nanoseconds(Int64(Double((machine.monotonicNow - machineStart).count) * factor))
  }

  /// Returns the machine time of an instant of the devices.
  func machineInstant(of instant: MonotonicInstant) -> MonotonicInstant {
    machineStart + Nanoseconds(Int64((Double((instant - deviceStart).count) / factor).rounded(.up)))
  }

  /// Converts a span of device time to machine time.
  func machineSpan(of span: Nanoseconds) -> Nanoseconds { Nanoseconds(Int64(Double(span.count) / factor)) }
}
