/// The loop of SDK §9.2 once more, as short as it can be told: rows are numbers, requests are words.
struct ReferenceFlush {
  enum Step: CaseIterable {
    case record, motionChange, heartbeat, sync, network
    case accepted, refused, unauthorized, lost, late, watchdog
  }

  enum Awaited {
    case upload, refresh
  }

  let batch: Int?
  let threshold: Int
  let canRefresh: Bool

  private(set) var rows: [Int64] = []
  private(set) var locked: [Int64] = []
  private var inserted: Int64 = 0
  private var isOnline = true
  private var insertsToWait = 0
  private var awaited: Awaited?
  private var hasRefreshed = false
  private var isSync = false
  private var hasFailed = false
  private var synced = 0

  init(batch: Int?, threshold: Int, canRefresh: Bool) {
    self.batch = batch
    self.threshold = threshold
    self.canRefresh = canRefresh
  }

  var isBusy: Bool { awaited != nil }

  /// What the step causes, in order.
  mutating func take(_ step: Step) -> [String] {
    switch step {
    case .record:
      inserted += 1
      rows.append(inserted)
      insertsToWait = max(0, insertsToWait - 1)
      if rows.count == 1 { hasFailed = false }
      return begin(isAutomatic: true, isDue: insertsToWait == 0 && (rows.count >= threshold || hasFailed))
    case .motionChange:
      missWithoutNetwork()
      return begin(isAutomatic: true, isDue: true)
    case .heartbeat:
      return begin(isAutomatic: true, isDue: rows.count >= threshold || hasFailed && !rows.isEmpty)
    case .sync:
      missWithoutNetwork()
      return begin(isAutomatic: false, isDue: true)
    case .network:
      isOnline.toggle()
      insertsToWait = 0
      return []
    case .accepted, .refused, .unauthorized, .lost: return answer(step)
    case .late: return []
    case .watchdog: return answer(.lost)
    }
  }

  private mutating func begin(isAutomatic: Bool, isDue: Bool) -> [String] {
    let refusal = isBusy ? 3 : !isOnline ? 2 : nil
    if let refusal { return isAutomatic ? [] : ["sync \(refusal)"] }
    guard isDue else { return [] }
    hasRefreshed = false
    isSync = !isAutomatic
    synced = 0
    return next()
  }

  private mutating func missWithoutNetwork() {
    if !isBusy && !isOnline && !rows.isEmpty { hasFailed = true }
  }

  private mutating func next() -> [String] {
    if rows.isEmpty { return end(error: nil) }
    if !isOnline { return end(error: 2) }
    locked = Array(rows.prefix(batch ?? 1))
    awaited = .upload
    return ["send \(locked)"]
  }

  private mutating func answer(_ step: Step) -> [String] {
    if awaited == .upload && [.accepted, .refused, .unauthorized].contains(step) { insertsToWait = 0 }
    switch (awaited, step) {
    case (nil, _): return []
    case (.upload, .accepted):
      rows.removeFirst(locked.count)
      synced += locked.count
      locked = []
      return ["http 200"] + next()
    case (.upload, .unauthorized) where canRefresh && !hasRefreshed:
      hasRefreshed = true
      awaited = .refresh
      return ["http 401", "refresh"]
    case (.upload, .unauthorized): return ["http 401"] + end(error: 4)
    case (.upload, .refused): return ["http 500"] + end(error: 4)
    case (.upload, _):
      insertsToWait = 10
      return ["http 0"] + end(error: 2)
    case (.refresh, .accepted):
      awaited = .upload
      return ["tokens", "authorization true"] + (isOnline ? ["send \(locked)"] : end(error: 2))
    case (.refresh, .lost): return ["authorization false"] + end(error: 2)
    case (.refresh, _): return ["authorization false"] + end(error: 4)
    }
  }

  private mutating func end(error: Int?) -> [String] {
    locked = []
    awaited = nil
    hasFailed = error != nil
    return isSync ? [error.map { "sync \($0)" } ?? "sync of \(synced)"] : []
  }
}
