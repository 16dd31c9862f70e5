import Base
import JSON
import Store

/// Why what is expected has not come, as far as the server knows: what came too late, what was nearly right, what is elsewhere, and the
/// reasons of a shortfall.
struct NearMisses: Sendable {
  private static let reasonsMax = 10
  private static let devicesMax = 50
  private static let runsMax = 5
  /// Records and requests of others that are looked at.
  private static let lookedMax = 2_000

  let tally: Tally
  let shortfall: Shortfall
  let router: Router
  let since: WallInstant

  private var expectation: ContentExpectation { tally.expectation }
  private var isTooFew: Bool { tally.found < expectation.count.atLeast }
  /// No record with the event that is sought has come, as far as the look went.
  private var isWithoutEvent: Bool {
    tally.found == 0 && tally.bounds.after == nil && !tally.events.contains(expectation.soughtEvent ?? "")
  }

  /// Without asking the store.
  var known: [ShortfallReason] { ordered([], nil) }

  func reasons(_ reader: StoreReader) -> [ShortfallReason] {
    guard isTooFew, expectation.kind == .records else { return ordered([], reader) }
    // What cannot be read is not among the reasons.
    do throws(StoreError) { return ordered(try elsewhere(reader), reader) } catch { return ordered([], reader) }
  }

  func reasons(_ journal: Journal) -> [ShortfallReason] {
    do throws(StoreError) { return ordered(try elsewhere(journal), nil) } catch { return ordered([], nil) }
  }

  private func ordered(_ elsewhere: [ShortfallReason], _ reader: StoreReader?) -> [ShortfallReason] {
    guard isTooFew else { return [] }
    var reasons: [ShortfallReason] = []
    if let late = tally.late { reasons.append(lateness(late)) }
    reasons += elsewhere
    let nearest = tally.nearest.map { near in
      ShortfallReason(
        kind: .nearest, message: "nearest: \(near.words): \(near.differences.joined(separator: ", "))",
        lastAt: WallInstant(exactly: near.at))
    }
    reasons += nearest.prefix(1)
    // Commands are not uploaded.
    if expectation.kind != .commands {
      let sought = Shortfall.Sought(
        run: expectation.run, device: expectation.device, event: isWithoutEvent ? expectation.soughtEvent : nil,
        eventsSeen: tally.events.sorted(), since: since)
      let isToldOfRuns = elsewhere.contains { $0.kind == .otherRun }
      reasons += shortfall.reasons(sought, reader).filter { !isToldOfRuns || $0.kind != .otherRun }
    }
    return Array((reasons + nearest.dropFirst()).prefix(Self.reasonsMax))
  }

  private func lateness(_ late: Occurrence) -> ShortfallReason {
    let seconds = Double(late.at - tally.bounds.limit) / 1_000
    let limit = expectation.within.map { "the \(Double($0) / 1_000) s within which it was expected" } ?? "the time-out"
    return ShortfallReason(
      kind: .late, message: "came \(seconds) s after \(limit)", lastAt: WallInstant(exactly: late.at))
  }

  /// Under other devices, and in other runs.
  private func elsewhere(_ reader: StoreReader) throws(StoreError) -> [ShortfallReason] {
    guard !expectation.isUnconditional || expectation.device != nil else { return [] }
    var reasons: [ShortfallReason] = []
    if let own = expectation.device {
      for device in try reader.devices(run: expectation.run, limit: Self.devicesMax).elements.map(\.identity)
      where device.name != own {
        let count = try fitting(of: device, reader)
        guard count > 0 else { continue }
        let message = "\(CountRange.records(count)) under device \(device.name)"
        reasons.append(ShortfallReason(kind: .otherDevice, message: message, count: count))
      }
    }
    for run in try reader.otherRuns(of: expectation.device, than: expectation.run, limit: Self.runsMax).map(\.run) {
      var devices = expectation.device.map { [DeviceIdentity(run: run, name: $0)] } ?? []
      if devices.isEmpty { devices = try reader.devices(run: run, limit: Self.devicesMax).elements.map(\.identity) }
      var count = 0
      for device in devices { count += try fitting(of: device, reader) }
      guard count > 0 else { continue }
      let owner = expectation.device.map { " of \($0)" } ?? ""
      let place = run.isEmpty ? "without a run" : "in run \(run)"
      let message = "\(CountRange.records(count))\(owner) \(place)"
      reasons.append(ShortfallReason(kind: .otherRun, message: message, count: count))
    }
    return reasons
  }

  private func fitting(of device: DeviceIdentity, _ reader: StoreReader) throws(StoreError) -> Int {
    var (count, looked) = (0, 0)
    var cursor: PointCursor?
    repeat {
      let page = try reader.history(of: device, after: cursor, limit: 256)
      for point in page.elements where point.receivedAt >= tally.bounds.from {
        if expectation.differences(Look.document(point.record), event: point.event).isEmpty { count += 1 }
      }
      looked += page.elements.count
      cursor = page.next
    } while cursor != nil && looked < Self.lookedMax
    return count
  }

  private func elsewhere(_ journal: Journal) throws(StoreError) -> [ShortfallReason] {
    var filter = JournalFilter()
    filter.isNewestFirst = true
    let bounds = tally.bounds
    let (run, device) = (expectation.run, expectation.device)
    filter.condition = { entry in
      entry.receivedAt >= bounds.from && (entry.run != run || device != nil && entry.device != device)
    }
    var reasons: [ShortfallReason] = []
    let page = try journal.requests(matching: filter, after: .max, limit: Self.lookedMax)
    for request in page.elements where reasons.count < 2 {
      guard expectation.differences(request.document(router)).isEmpty else { continue }
      let isOfRun = request.entry.run == run
      let place =
        isOfRun ? "of another device" : request.entry.run.isEmpty ? "without a run" : "in run \(request.entry.run)"
      reasons.append(
        ShortfallReason(
          kind: isOfRun ? .otherDevice : .otherRun, message: "\(request.words) fits, \(place)",
          lastAt: WallInstant(exactly: request.entry.receivedAt)))
    }
    return reasons
  }
}
