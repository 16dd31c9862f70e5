import Base
import Contract
import JSON
import Store
import Synchronization

/// Determines why fewer records are stored than a client expects.
struct Shortfall: Sendable {
  let backend: any ServerBackend
  let refusals: RefusalLog

  private static let reasonsMax = 8
  private static let namesMax = 10_000
  private static let namesTold = 5

  /// The expectation of a client.
  struct Sought: Sendable {
    var run: String
    /// The name of the device; nil for the whole run.
    var device: String?
    /// The expected event, of which no record has come; nil when none is expected, or some have come.
    var event: String?
    /// The events of the records that have come.
    var eventsSeen: [String] = []
    /// When the client began to wait.
    var since: WallInstant?
    /// The uuids of missing records.
    var uuids: Set<UUID128> = []
  }

  /// Returns why a device of the run, or the run, has not stored more; the reasons most likely to concern the missing records
  /// come first. The store cannot always be queried.
  func reasons(_ sought: Sought, _ reader: (any StoreReader)?) -> [ShortfallReason] {
    let device = sought.device
    var reasons: [ShortfallReason] = []
    if let outage = backend.outage {
      reasons.append(ShortfallReason(kind: .outage, message: "the store cannot accept records: \(outage.reason)"))
    }
    if let event = sought.event { reasons.append(ShortfallReason(absent: event, seen: sought.eventsSeen)) }
    reasons += refusals.entries(run: sought.run, device: device).map { entry in
      var reason = ShortfallReason(entry, of: device)
      let isLate = sought.since.map { entry.lastAt >= $0 } ?? false
      reason.rank =
        entry.refusal.device.name.isEmpty ? isLate ? .nameless : .earlierNameless : isLate ? .meanwhile : .earlier
      return reason
    }
    if let reader {
      // Unreadable data gives no reasons; the answer itself reports a store that could not be queried.
      do throws(StoreError) { reasons += try stored(sought, reader) } catch {}
    }
    let ordered = reasons.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    return Array(ordered.map(\.element).prefix(Shortfall.reasonsMax))
  }

  private func stored(_ sought: Sought, _ reader: any StoreReader) throws(StoreError) -> [ShortfallReason] {
    let (run, device) = (sought.run, sought.device)
    var reasons: [ShortfallReason] = []
    if !sought.uuids.isEmpty { reasons += try Shortfall.elsewhere(sought.uuids, of: device, run: run, reader) }
    let isToldOfRuns = reasons.contains { $0.kind == .otherRun }
    var points: Int64 = 0
    var duplicates: Int64 = 0
    if let device {
      let found = try reader.device(DeviceIdentity(run: run, name: device))
      points = found?.points ?? 0
      duplicates = found?.duplicates ?? 0
      if found == nil { reasons.append(try unknown(device, run, reader)) }
    } else {
      let counts = try reader.counts(run: run)
      (points, duplicates) = (counts.accepted, counts.duplicates)
    }
    for (reason, count) in try reader.quarantineReasons(QuarantineSelection(run: run, device: device)) {
      let message = "\(CountRange.records(Int(count))) quarantined: \(reason); see GET quarantine"
      reasons.append(ShortfallReason(kind: .quarantined, message: message, count: Int(count), rank: .earlier))
    }
    if duplicates > 0 {
      let message = "\(CountRange.records(Int(duplicates))) were duplicates and count once"
      reasons.append(ShortfallReason(kind: .duplicate, message: message, count: Int(duplicates), rank: .earlier))
    }
    if points == 0, !isToldOfRuns {
      for other in try reader.otherRuns(of: device, than: run, limit: Shortfall.namesTold) where other.points > 0 {
        let place = Shortfall.place(other.run)
        let owner = device.map { " of \($0)" } ?? ""
        let records = CountRange.records(Int(other.points))
        let message = "\(records)\(owner) stored \(place), not \(Shortfall.place(run))"
        reasons.append(ShortfallReason(kind: .otherRun, message: message, count: Int(other.points), rank: .aside))
      }
    }
    return reasons
  }

  private static func place(_ run: String) -> String { run.isEmpty ? "without a run" : "in the run \(run)" }

  /// Suggests the nearest name, or lists the first names that exist.
  private func unknown(_ device: String, _ run: String, _ reader: any StoreReader) throws(StoreError) -> ShortfallReason
  {
    var names: [String] = []
    var next: Int64?
    repeat {
      let page = try reader.devices(run: run, after: next, limit: 1_000)
      names += page.elements.map(\.identity.name)
      next = page.next
    } while next != nil && names.count < Shortfall.namesMax
    let place = Shortfall.place(run)
    var message = "no device \(device) has stored anything \(place)"
    var rank = ShortfallReason.Rank.aside
    if let near = NearestName.find(device, in: names) {
      message += "; did you mean \(near)?"
      rank = .mistake
    } else if names.isEmpty {
      message += ", and none of another device"
      rank = .nothing
    } else {
      let more = names.count > Shortfall.namesTold ? ", …" : ""
      message += "; known devices: \(names.prefix(Shortfall.namesTold).joined(separator: ", "))\(more)"
    }
    return ShortfallReason(kind: .unknownDevice, message: message, rank: rank)
  }
}

/// A reason, known to the server, why fewer records are stored than a client expects.
struct ShortfallReason: Equatable, Sendable {
  enum Kind: String, Sendable {
    /// The expected came after the time was over.
    case late
    /// Something nearly as expected came.
    case nearest
    /// The expected came before the step that it must follow.
    case early
    /// The expected is stored, under another device.
    case otherDevice
    /// No record with this event was received.
    case unknownEvent
    /// No device of this name has uploaded in the run.
    case unknownDevice
    /// The records are stored, in another run.
    case otherRun
    /// Records were quarantined.
    case quarantined
    /// Records were received again, which count once.
    case duplicate
    /// A fault rule answered.
    case fault
    /// Uploads had no token, or an invalid one.
    case unauthorized
    /// Requests went to an unserved path.
    case notFound
    /// Bodies could not be read.
    case malformed
    /// Uploads were answered with another error.
    case refused
    /// The store accepts nothing now.
    case outage
    /// The journal lacks requests that could count.
    case incomplete
  }

  /// How closely a reason relates to the missing records.
  enum Rank: Int, Comparable, Sendable {
    case outage, mistake
    /// A request of the device, since the client began to wait, and before.
    case meanwhile, earlier
    /// A request that names no device, since the client began to wait.
    case nameless
    case aside
    case earlierNameless
    /// Only states that nothing was received.
    case nothing

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  let kind: Kind
  let message: String
  var count: Int?
  var lastAt: WallInstant?
  var rank = Rank.outage
}

extension ShortfallReason {
  private static let events = [RecordEvent.motionchange, .geofence, .providerchange, .heartbeat].map(\.name)

  /// `seen` are other events received. Records of other clients may have events that the SDK does not have.
  init(absent event: String, seen: [String]) {
    kind = .unknownEvent
    rank = .mistake
    guard ShortfallReason.events.contains(event) else {
      let near = NearestName.find(event, in: seen + ShortfallReason.events).map { "; did you mean \($0)?" } ?? ""
      message = "unknown event \(event); known: \(ShortfallReason.events.joined(separator: ", "))\(near)"
      return
    }
    let others = seen.isEmpty ? "" : "; received events: \(seen.prefix(5).joined(separator: ", "))"
    message = "no record with the event \(event) was received\(others)"
  }

  /// `of` is the requested device, nil for any.
  init(_ entry: RefusalLog.Entry, of device: String?) {
    let refusal = entry.refusal
    let times = entry.count == 1 ? "1 upload" : "\(entry.count) uploads"
    let name = refusal.device.name.isEmpty ? device == nil ? "" : " of an unnamed device" : " of \(refusal.device.name)"
    let rule = refusal.rule.isEmpty ? "a fault" : "the fault rule \(refusal.rule)"
    switch refusal.status {
    case _ where !refusal.fault.isEmpty:
      kind = .fault
      message = "\(times)\(name) matched \(rule) (\(refusal.fault)) and got \(refusal.status)"
    case 401:
      kind = .unauthorized
      message = "\(times)\(name) got 401 (\(refusal.code))"
    case _ where !refusal.path.isEmpty:
      kind = .notFound
      let requests = entry.count == 1 ? "1 request" : "\(entry.count) requests"
      message =
        "\(requests) to \(refusal.path) got \(refusal.status): no route has this path; uploads go to /locations"
    case 400:
      kind = .malformed
      message = "\(times)\(name) got 400 (\(refusal.code)): the body could not be read"
    default:
      kind = .refused
      message = "\(times)\(name) got \(refusal.status) (\(refusal.code))"
    }
    count = entry.count
    lastAt = entry.lastAt
  }
}

extension [ShortfallReason] {
  private static var told: Int { 3 }

  /// The end of a message; the others are in the detail.
  var words: String {
    guard !isEmpty else { return "" }
    return "; " + prefix(Self.told).map(\.message).joined(separator: "; ") + (count > Self.told ? "; …" : "")
  }
}

extension ShortfallReason {
  /// `reason`, `message`, and, if known, `count` and `lastAt`.
  var json: JSONValue {
    var object: JSONObject = ["reason": .string(kind.rawValue), "message": .string(message)]
    if let count { object["count"] = .integer(Int64(count)) }
    if let lastAt { object["lastAt"] = .string(lastAt.iso8601Text) }
    return .object(object)
  }
}

/// A class of device requests that stored nothing.
struct Refusal: Hashable, Sendable {
  /// The name is empty when the request has none.
  let device: DeviceIdentity
  let status: Int
  /// The `code` of the answer; empty if it has none.
  let code: String
  /// The path if it is unserved; otherwise empty.
  var path = ""
  /// The rule whose fault was injected, and its kind; empty if none was.
  var rule = ""
  var fault = ""
}

/// Classes of requests that stored nothing and the latest of each, to explain the failed wait of a test. Bounded: the least
/// recent classes are dropped.
final class RefusalLog: Sendable {
  static let kindsMax = 512

  struct Entry: Sendable {
    let refusal: Refusal
    var count = 0
    var lastAt: WallInstant
  }

  private let entries = Mutex<[Refusal: Entry]>([:])

  /// Records an answer to a request that stored nothing.
  func note(_ exchange: Exchange, _ response: Response) {
    let isUpload = exchange.route.deviceOperation == .uploadLocations && exchange.unservedPath == nil
    guard isUpload || exchange.unservedPath != nil else { return }
    let isRefused = response.isSent && response.status >= 400
    guard isRefused || exchange.fault?.fault.kind.keepsFromStore == true else { return }
    // An entry is short, whatever a client sends.
    let longest = DeviceIdentity.nameBytesMax
    var refusal = Refusal(
      device: DeviceIdentity(run: exchange.run.prefix(bytes: longest), name: exchange.device.prefix(bytes: longest)),
      status: response.status, code: response.code ?? "")
    refusal.path = (exchange.unservedPath ?? "").prefix(bytes: longest)
    refusal.rule = exchange.fault?.rule ?? ""
    refusal.fault = exchange.fault?.fault.kind.rawValue ?? ""
    note(refusal, at: exchange.receivedAt)
  }

  func note(_ refusal: Refusal, at instant: WallInstant) {
    entries.withLock { entries in
      if entries[refusal] == nil, entries.count == RefusalLog.kindsMax { entries.keepHalf { $0.lastAt > $1.lastAt } }
      var entry = entries[refusal] ?? Entry(refusal: refusal, lastAt: instant)
      entry.count += 1
      entry.lastAt = max(entry.lastAt, instant)
      entries[refusal] = entry
    }
  }

  /// Returns the entries that may concern the device, or any of the run, the latest first. A request to an unserved path may
  /// have missed the run as well.
  func entries(run: String, device: String?) -> [Entry] {
    entries.withLock { entries in
      entries.values.filter { entry in
        let refusal = entry.refusal
        let isOfRun = refusal.device.run.isExactly(run) || !refusal.path.isEmpty
        return isOfRun && (device == nil || refusal.device.name.isEmpty || refusal.device.name.isExactly(device))
      }
      .sorted { ($0.lastAt, $0.refusal.code, $0.refusal.path) > ($1.lastAt, $1.refusal.code, $1.refusal.path) }
    }
  }

  /// Deletes the entries of a run, or all.
  func clear(run: String?) {
    entries.withLock { entries in entries = entries.filter { run != nil && !$0.key.device.run.isExactly(run) } }
  }
}

extension ServerFault.Kind {
  /// Whether acknowledged records are not stored, or only partly.
  var keepsFromStore: Bool { self == .pretend || self == .prefix || self == .portal || self == .redirect }
}
