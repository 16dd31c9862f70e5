import Base
import JSON
import Store

/// Why an expectation is not met, as far as the server can tell: what came too late, what nearly matched, what went elsewhere,
/// and the reasons of a shortfall.
struct NearMisses: Sendable {
  private static let reasonsMax = 10
  private static let runsMax = 5
  /// The maximum number of other devices' records and requests that are examined.
  private static let lookedMax = 2_000
  private static let pagesMax = 20
  private static let daysMax = 400

  let tally: Tally
  let gaps: RequestGaps
  let shortfall: Shortfall
  let routes: RecordedRoutes
  let since: WallInstant
  /// The earliest time of arrival that counts for any step, in milliseconds since 1970.
  let from: Int64
  /// The number of steps that were met.
  let met: Int

  private var expectation: ContentExpectation { tally.expectation }
  private var isTooFew: Bool { tally.found < expectation.count.atLeast }
  /// Whether no record with the expected event was seen.
  private var isWithoutEvent: Bool {
    tally.found == 0 && tally.bounds.after == nil && !tally.events.contains(expectation.soughtEvent ?? "")
  }

  /// The reasons known without querying the store.
  var known: [ShortfallReason] { ordered([], nil) }

  func reasons(_ reader: any StoreReader) -> [ShortfallReason] {
    // Unreadable data gives no reasons.
    do throws(StoreError) {
      guard expectation.kind == .records else {
        let early = try early { (scan) throws(StoreError) in try scan.scanCommands(reader, now: since) }
        return ordered(early, reader)
      }
      let early = try early { (scan) throws(StoreError) in try scan.scanRecords([], reader) }
      return ordered(early + (isTooFew ? try elsewhere(reader) : []), reader)
    } catch { return ordered([], reader) }
  }

  func reasons(_ journal: Journal) -> [ShortfallReason] {
    do throws(StoreError) {
      let early = try early { (scan) throws(StoreError) in try scan.scanRequests(journal, routes) }
      return ordered(early + (try elsewhere(journal)), nil)
    } catch { return ordered([], nil) }
  }

  /// Returns matches of the current step that came before the previous step was met.
  private func early(_ turn: (inout ExpectationScan) throws(StoreError) -> Void) throws(StoreError) -> [ShortfallReason]
  {
    guard isTooFew, let step = tally.bounds.after else { return [] }
    var scan = ExpectationScan(expectation, TallyBounds(from: from, limit: step.at), onlyNew: false)
    var pages = 0
    repeat {
      try turn(&scan)
      pages += 1
    } while !scan.isScanned && pages < Self.pagesMax
    let early = scan.tally.matches.filter { !$0.isAfter(step) }
    guard let last = early.last else { return [] }
    let message =
      "\(expectation.kind.words(early.count)) came before step \(met) was met, the last \(Double(step.at - last.at) / 1_000) s before"
    return [ShortfallReason(kind: .early, message: message, count: early.count, lastAt: WallInstant(exactly: last.at))]
  }

  private func ordered(_ elsewhere: [ShortfallReason], _ reader: (any StoreReader)?) -> [ShortfallReason] {
    var reasons = expectation.count.isExceeded(by: tally.found) ? [] : gaps.reasons
    guard isTooFew else { return reasons }
    if let late = tally.late { reasons.append(lateness(late)) }
    reasons += elsewhere
    let nearest = tally.nearest.map { near in
      ShortfallReason(
        kind: .nearest, message: "nearest: \(near.words): \(near.differences.joined(separator: ", "))",
        lastAt: WallInstant(exactly: near.at))
    }
    reasons += nearest.prefix(1)
    // Shortfalls concern uploads, and commands are not uploaded.
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

  /// Returns matches under other devices and in other runs.
  private func elsewhere(_ reader: any StoreReader) throws(StoreError) -> [ShortfallReason] {
    guard !expectation.isUnconditional || expectation.device != nil else { return [] }
    var reasons: [ShortfallReason] = []
    if let own = expectation.device {
      let fitting = try fitting(in: expectation.run, of: nil, reader)
      for (device, count) in fitting.counts where device != own {
        let message = "\(fitting.words)\(CountRange.records(count)) under device \(device)"
        reasons.append(ShortfallReason(kind: .otherDevice, message: message, count: count))
      }
    }
    for run in try reader.otherRuns(of: expectation.device, than: expectation.run, limit: Self.runsMax).map(\.run) {
      let fitting = try fitting(in: run, of: expectation.device, reader)
      let count = fitting.counts.reduce(0) { $0 + $1.count }
      guard count > 0 else { continue }
      let owner = expectation.device.map { " of \($0)" } ?? ""
      let place = run.isEmpty ? "without a run" : "in run \(run)"
      let message = "\(fitting.words)\(CountRange.records(count))\(owner) \(place)"
      reasons.append(ShortfallReason(kind: .otherRun, message: message, count: count))
    }
    return reasons
  }

  /// Matching records of each device, by name.
  private struct Fitting {
    var counts: [(device: String, count: Int)]
    /// Empty, or that there may be more.
    var words: String
  }

  /// Counts matching records, as far as a short look goes.
  private func fitting(
    in run: String, of device: String?, _ reader: any StoreReader
  ) throws(StoreError) -> Fitting {
    let device = device.map { DeviceIdentity(run: run, name: $0) }
    let selection = RecordSelection(KeySelection(run: run, device: device), receivedFrom: tally.bounds.from)
    var counts: [String: Int] = [:]
    var (looked, pages) = (0, 0)
    var cursor: ArrivalCursor?
    repeat {
      let page = try reader.arrivals(selection, after: cursor, limit: 256)
      for record in page.elements
      where expectation.differences(ExpectationScan.document(record.record) ?? .null, event: record.event).isEmpty {
        counts[record.device.name, default: 0] += 1
      }
      looked += page.elements.count
      pages += 1
      cursor = page.next
      // A page ends with its day, and may have a record.
    } while cursor != nil && looked < Self.lookedMax && pages < Self.daysMax
    return Fitting(
      counts: counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, words: cursor == nil ? "" : "at least ")
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
      guard expectation.differences(request.document(routes)).isEmpty else { continue }
      let isOfRun = request.entry.run == run
      let owner = request.entry.device == nil ? "and does not say its device" : "of another device"
      let place = isOfRun ? owner : request.entry.run.isEmpty ? "without a run" : "in run \(request.entry.run)"
      reasons.append(
        ShortfallReason(
          kind: isOfRun ? .otherDevice : .otherRun, message: "\(request.words) matches, \(place)",
          lastAt: WallInstant(exactly: request.entry.receivedAt)))
    }
    return reasons
  }
}
