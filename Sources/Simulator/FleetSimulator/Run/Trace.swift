package import Base
package import Oracle

/// The hashes of a run: one per device, independent of other devices. Events can be kept for a while, to find
/// where two runs diverge.
struct Trace {
  private let devices: PerDevice<TraceHash>
  private(set) var count = 0
  /// Whether events are kept.
  var keepsEvents = false
  private var kept: [TraceEvent] = []

  init(in space: DeviceSpace) { devices = PerDevice(TraceHash(), in: space) }

  /// Returns the events since the last call.
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

  /// Returns the sum of the hashes of these devices, under the keys of their random streams: it does not depend on how
  /// devices are distributed over shards.
  func hash(of devices: [Int], keys: (Int) -> UInt64) -> TraceHash {
    var hash = TraceHash.zero
    for device in devices { hash.add(self.devices[device], key: keys(device)) }
    return hash
  }
}

/// An event of a run, in order of occurrence.
package struct TraceEvent: Equatable, Sendable {
  /// The kind of event.
  package enum Kind: UInt64, Sendable {
    case fix, sample, activity, connectivity, region, timers, sent, arrived, answered, failed, killed, launched, healed,
      faultBegan, faultEnded
  }

  package let number: Int
  package let instant: MonotonicInstant
  /// The number of the device in the run.
  package let device: Int
  package let kind: Kind
  /// A digest of the event's content.
  package let content: UInt64
}

/// A 128-bit hash that depends on everything folded in and on its order (mixer: the finalizer of SplitMix64).
package struct TraceHash: Hashable, Sendable {
  package private(set) var high: UInt64 = 0x9E37_79B9_7F4A_7C15
  package private(set) var low: UInt64 = 0xD1B5_4A32_D192_ED03

  package init() {}

  package mutating func fold(_ word: UInt64) {
    high = SplitMix64.mix(high ^ word)
    low = SplitMix64.mix(low &+ word &+ high)
  }

  /// Folds in eight bytes at a time, the length last.
  package mutating func fold(_ bytes: Span<UInt8>) {
    var index = 0
    while index + 8 <= bytes.count {
      fold(bytes.bigWord(at: index))
      index += 8
    }
    var word: UInt64 = 0
    while index < bytes.count {
      word = word << 8 | UInt64(bytes[index])
      index += 1
    }
    fold(word)
    fold(UInt64(bytes.count))
  }

  package mutating func fold(_ other: TraceHash) {
    fold(other.high)
    fold(other.low)
  }

  /// The start value for `add`.
  package static let zero: TraceHash = {
    var hash = TraceHash()
    (hash.high, hash.low) = (0, 0)
    return hash
  }()

  /// Adds the hash of the member with this key. The order of members does not matter, so that partial sums add up to
  /// the sum of the whole.
  package mutating func add(_ member: TraceHash, key: UInt64) {
    var keyed = member
    keyed.fold(key)
    add(keyed)
  }

  /// Adds a sum of other members.
  package mutating func add(_ sum: TraceHash) {
    high &+= sum.high
    low &+= sum.low
  }

  /// 32 hexadecimal digits.
  package var text: String { high.zeroPadded(to: 16, radix: 16) + low.zeroPadded(to: 16, radix: 16) }

  /// Nil for a text that `text` never returns.
  package init?(text: String) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    (self.high, self.low) = (high, low)
  }
}

/// Drives two runs that should be identical side by side, and finds where they diverge.
package enum DeterminismCheck {
  /// The divergence of two runs.
  package struct Difference: Equatable, Sendable {
    /// The last common event; nil: they diverge at once.
    package let common: TraceEvent?
    /// The first differing event; nil when that run was over. Nil in both: all events are equal, and the results are not.
    package let first: TraceEvent?
    package let second: TraceEvent?
  }

  /// The number of events compared at a time.
  private static let stretch = 4_096

  /// Returns the report of `one`, which always runs to its end; the other stops at the first difference. Both use the
  /// in-process server.
  package static func run(
    _ one: FleetRun, beside other: FleetRun, progress: (Double, LedgerSums) -> Void = { _, _ in }
  ) throws -> (report: RunReport, difference: Difference?) {
    let both = [one, other]
    for run in both { run.shared.trace.keepsEvents = true }
    var common: TraceEvent?
    var last = stretch
    var isOver = false
    while !isOver {
      isOver = try one.advance(toEvent: last, progress)
      let isOtherOver = try other.advance(toEvent: last)
      let events = both.map { $0.shared.trace.takeKept() }
      let equal = zip(events[0], events[1]).prefix { $0 == $1 }.count
      if equal > 0 { common = events[0][equal - 1] }
      if equal < max(events[0].count, events[1].count) || isOver != isOtherOver {
        let parted = events.map { equal < $0.count ? $0[equal] : nil }
        one.shared.trace.keepsEvents = false
        _ = try one.advance(toEvent: .max, progress)
        return (one.report(), Difference(common: common, first: parted[0], second: parted[1]))
      }
      last += stretch
    }
    let (report, repeated) = (one.report(), other.report())
    return (report, report == repeated ? nil : Difference(common: common, first: nil, second: nil))
  }
}
