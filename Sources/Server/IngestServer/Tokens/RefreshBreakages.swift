import Store

/// What an administrator has asked to go wrong with refreshes, and how many times still.
struct RefreshBreakages {
  private struct Entry {
    let run: String
    /// Nil: any device of the run.
    let device: String?
    let breakage: RefreshBreakage
    var remaining: Int
  }

  static let entriesMax = 1_000

  private var entries: [Entry] = []

  /// Replaces what was asked for the same run and device; 0 times ends it. False when there are too many.
  mutating func set(_ breakage: RefreshBreakage?, run: String, device: String?, times: Int) -> Bool {
    entries.removeAll { $0.run == run && $0.device == device }
    guard let breakage, times > 0 else { return true }
    guard entries.count < Self.entriesMax else { return false }
    entries.append(Entry(run: run, device: device, breakage: breakage, remaining: times))
    return true
  }

  /// Ends what was asked for in this run, or in all; says how many things.
  mutating func clear(run: String?) -> Int {
    let before = entries.count
    entries.removeAll { run == nil || $0.run == run }
    return before - entries.count
  }

  /// What goes wrong with the refresh at hand; what was asked for the device itself goes first.
  mutating func take(for device: DeviceIdentity) -> RefreshBreakage? {
    let index =
      entries.firstIndex { $0.run == device.run && $0.device == device.name }
      ?? entries.firstIndex { $0.run == device.run && $0.device == nil }
    guard let index else { return nil }
    let breakage = entries[index].breakage
    entries[index].remaining -= 1
    if entries[index].remaining == 0 { entries.remove(at: index) }
    return breakage
  }
}
