import Base

/// The hashes of a run: one of each device, which nothing beside it changes, and one of all events in their order with
/// checkpoints, for finding where two runs part.
struct Trace {
  static let interval = 4_096

  private(set) var devices: [TraceHash]
  private var order = TraceHash()
  private(set) var count = 0
  private(set) var checkpoints: [TraceHash] = []
  /// Events with these numbers are kept.
  private let recording: Range<Int>?
  private(set) var recorded: [TraceEvent] = []

  init(devices: Int, recording: Range<Int>?) {
    self.devices = Array(repeating: TraceHash(), count: devices)
    self.recording = recording
  }

  mutating func note(_ kind: TraceEvent.Kind, _ content: UInt64, of device: Int, at instant: MonotonicInstant) {
    let (time, what) = (UInt64(bitPattern: instant.nanoseconds), kind.rawValue)
    devices[device].fold(time ^ what << 56)
    devices[device].fold(content)
    order.fold(devices[device].low ^ UInt64(device))
    if let recording, recording.contains(count) {
      recorded.append(TraceEvent(number: count, instant: instant, device: device, kind: kind, content: content))
    }
    count += 1
    if count % Trace.interval == 0 { checkpoints.append(order) }
  }

  /// The sum of these devices' hashes, under the keys by which they draw: it does not depend on how they were dealt out.
  func hash(of devices: Range<Int>, keys: (Int) -> UInt64) -> TraceHash {
    var hash = TraceHash.zero
    for device in devices { hash.add(self.devices[device], key: keys(device)) }
    return hash
  }
}
