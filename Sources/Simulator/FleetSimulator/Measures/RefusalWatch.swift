import Base
import Contract
import Oracle
import Upload

/// Counts the requests of one device with an invalid refresh token: the SDK does not give up, and tries again with each
/// upload that is due (SDK §11.6).
struct RefusalWatch {
  /// The time of the first rejected refresh; nil while the tokens are valid.
  private var start: MonotonicInstant?
  private var count = 0
  /// Whether an upload was rejected and the outcome of the refresh is unknown.
  private var isUploadOpen = false
  /// The end of the drives, after which users log in.
  private var end: MonotonicInstant?
  /// Requests that are under way when the SDK is stopped still end.
  private var isStopped = false

  /// The minimum duration for a rate per hour.
  private static let leastSeconds = 60.0

  mutating func endUpload(status: Int) {
    guard end == nil, !isStopped else { return }
    if (200..<300).contains(status) {
      (start, count, isUploadOpen) = (nil, 0, false)
    } else if status == 401 {
      if start == nil { isUploadOpen = true } else { count += 1 }
    }
  }

  mutating func endRefresh(_ event: AuthorizationEvent, at instant: MonotonicInstant) {
    guard end == nil, !isStopped, event.status > 0, !event.isSuccess, start != nil || event.isRefusal else { return }
    if start == nil { start = instant }
    count += isUploadOpen ? 2 : 1
    isUploadOpen = false
  }

  /// Returns the number of futile requests; nil when there were none, or when the drives are over.
  mutating func close() -> UInt64? {
    guard end == nil, start != nil else { return nil }
    defer { (start, count, isUploadOpen) = (nil, 0, false) }
    return UInt64(count)
  }

  /// Returns the same when the SDK is stopped; nil when it is started.
  mutating func enable(_ isEnabled: Bool) -> UInt64? {
    isStopped = !isEnabled
    return isEnabled ? nil : close()
  }

  mutating func endDrive(at instant: MonotonicInstant) { end = end ?? instant }

  /// Returns the rate of a device whose requests are still being rejected.
  func perHour(until now: MonotonicInstant) -> UInt64? {
    guard let start else { return nil }
    let seconds = ((end ?? now) - start).seconds
    return seconds < RefusalWatch.leastSeconds ? nil : UInt64((Double(count) * 3_600 / seconds).rounded())
  }
}

extension Measures {
  func learn(_ authorization: AuthorizationSettings, of device: Int) {
    guard devices[device].token.learn(authorization, at: wall) else { return }
    noteRefusals(devices[device].refusals.close(), as: .refusalsUntilLogin, of: device)
  }

  func enable(_ isEnabled: Bool, _ device: Int) {
    noteRefusals(devices[device].refusals.enable(isEnabled), as: .refusalsUntilStop, of: device)
  }

  private func noteRefusals(_ count: UInt64?, as measure: Measure, of device: Int) {
    if let count { table.record(measure, count, tags(of: device)) }
  }

  /// Records the rates of devices that are still being rejected.
  func enterRefusals() {
    for device in devices.indices {
      guard let count = devices[device].refusals.perHour(until: now) else { continue }
      table.record(.refusalsPerHour, count, tags(of: device))
    }
  }
}

extension RunSummary {
  /// The effects of invalid refresh tokens. Not added up over shards, so it is reported for whole runs only.
  package var refusalSentences: [String] {
    [
      sentence("refusals_until_login", "logged in again", ""),
      sentence("refusals_until_stop", "stopped sending after a stop command", ""),
      sentence("refusals_per_hour", "did not log in again and kept sending until the drives ended", " an hour")
        .map {
          $0
            + "; the SDK retries with every upload (SDK §11.6); send the command stop in an answer to end it"
        },
    ].compactMap(\.self)
  }

  private func sentence(_ metric: String, _ outcome: String, _ time: String) -> String? {
    guard case .trend(let spread)? = metrics.first(where: { $0.name == metric })?.figure,
      let mean = spread.histogram.mean, let most = spread.histogram.maximum
    else { return nil }
    return "dead refresh tokens: \(Int(spread.histogram.count).of("device")) \(outcome): "
      + "\((mean * 10).rounded() / 10) refused uploads and refreshes\(time) each on average, \(most) at most"
  }
}
