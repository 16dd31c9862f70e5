import Base

/// The hashes of a run: one of each device, which nothing beside it changes. Events can be kept for a while, for finding
/// where two runs part.
struct Trace {
  private(set) var devices: [TraceHash]
  private(set) var count = 0
  /// Whether events are kept.
  var keepsEvents = false
  private var kept: [TraceEvent] = []

  init(devices: Int) { self.devices = Array(repeating: TraceHash(), count: devices) }

  /// The events since the last time.
  mutating func takeKept() -> [TraceEvent] {
    defer { kept.removeAll(keepingCapacity: true) }
    return kept
  }

  mutating func note(_ kind: TraceEvent.Kind, _ content: UInt64, of device: Int, at instant: MonotonicInstant) {
    let (time, what) = (UInt64(bitPattern: instant.nanoseconds), kind.rawValue)
    devices[device].fold(time ^ what << 56)
    devices[device].fold(content)
    if keepsEvents {
      kept.append(TraceEvent(number: count, instant: instant, device: device, kind: kind, content: content))
    }
    count += 1
  }

  /// The sum of these devices' hashes, under the keys by which they draw: it does not depend on how they were dealt out.
  func hash(of devices: Range<Int>, keys: (Int) -> UInt64) -> TraceHash {
    var hash = TraceHash.zero
    for device in devices { hash.add(self.devices[device], key: keys(device)) }
    return hash
  }
}
