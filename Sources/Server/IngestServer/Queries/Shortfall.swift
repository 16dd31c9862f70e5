import Base
import Contract
import JSON
import Store
import Synchronization

/// Why fewer records are stored than a client expects.
struct Shortfall: Sendable {
  let probes: ServerProbes
  let refusals: RefusalLog

  private static let reasonsMax = 8
  private static let namesMax = 10_000
  private static let namesTold = 5

  /// What the server knows about why a device of the run, or the run, has not stored more records with the event. Requests
  /// that do not say whose they are come first only where nothing of the device has come. The store cannot always be asked.
  func reasons(run: String, device: String?, event: String?, _ reader: StoreReader?) -> [ShortfallReason] {
    var reasons: [ShortfallReason] = []
    if let event, let unknown = ShortfallReason(unknownEvent: event) { reasons.append(unknown) }
    if let outage = probes.outage() {
      reasons.append(ShortfallReason(kind: .outage, message: "the store cannot accept records: \(outage.reason)"))
    }
    let entries = refusals.entries(run: run, device: device)
    let isNamed = { (entry: RefusalLog.Entry) in device == nil || entry.refusal.device == device }
    let ofDevice = entries.filter(isNamed).map { ShortfallReason($0, of: device) }
    let others = entries.filter { !isNamed($0) }.map { ShortfallReason($0, of: device) }
    var stored: [ShortfallReason] = []
    if let reader {
      // What cannot be read is not among the reasons; the answer says by itself when the store could not be asked.
      do throws(StoreError) { stored = try self.stored(run: run, device: device, reader) } catch {}
    }
    let isSilent = ofDevice.isEmpty && stored.contains { $0.kind == .unknownDevice }
    reasons += isSilent ? others + stored : ofDevice + stored + others
    return Array(reasons.prefix(Shortfall.reasonsMax))
  }

  private func stored(
    run: String, device: String?, _ reader: StoreReader
  ) throws(StoreError) -> [ShortfallReason] {
    var reasons: [ShortfallReason] = []
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
      let message = "\(CountRange.records(Int(count))) put aside: \(reason); GET quarantine shows what"
      reasons.append(ShortfallReason(kind: .quarantined, message: message, count: Int(count)))
    }
    if duplicates > 0 {
      let message = "\(CountRange.records(Int(duplicates))) came again, and count once"
      reasons.append(ShortfallReason(kind: .duplicate, message: message, count: Int(duplicates)))
    }
    if points == 0 {
      for other in try reader.otherRuns(of: device, than: run, limit: Shortfall.namesTold) where other.points > 0 {
        let place = Shortfall.place(other.run)
        let owner = device.map { " of \($0)" } ?? ""
        let records = CountRange.records(Int(other.points))
        let message = "\(records)\(owner) stored \(place), not \(Shortfall.place(run))"
        reasons.append(ShortfallReason(kind: .otherRun, message: message, count: Int(other.points)))
      }
    }
    return reasons
  }

  private static func place(_ run: String) -> String { run.isEmpty ? "without a run" : "in the run \(run)" }

  /// The nearest name, or the first that there are.
  private func unknown(_ device: String, _ run: String, _ reader: StoreReader) throws(StoreError) -> ShortfallReason {
    var names: [String] = []
    var next: Int64?
    repeat {
      let page = try reader.devices(run: run, after: next, limit: 1_000)
      names += page.elements.map(\.identity.name)
      next = page.next
    } while next != nil && names.count < Shortfall.namesMax
    let place = Shortfall.place(run)
    var message = "no device \(device) has stored anything \(place)"
    if let near = NearestName.find(device, in: names) {
      message += "; did you mean \(near)?"
    } else if names.isEmpty {
      message += ", and no other has"
    } else {
      let more = names.count > Shortfall.namesTold ? ", …" : ""
      message += "; there are \(names.prefix(Shortfall.namesTold).joined(separator: ", "))\(more)"
    }
    return ShortfallReason(kind: .unknownDevice, message: message)
  }
}

/// A reason, known to the server, why fewer records are stored than a client expects.
struct ShortfallReason: Equatable, Sendable {
  enum Kind: String, Sendable {
    /// No device of this name has uploaded in the run.
    case unknownDevice
    /// The records are stored, in another run.
    case otherRun
    /// Records were put aside.
    case quarantined
    /// Records came again, which count once.
    case duplicate
    /// A fault rule answered.
    case fault
    /// Uploads had no token, or none that is accepted.
    case unauthorized
    /// Requests went to a path where nothing is served.
    case notFound
    /// Bodies could not be read.
    case malformed
    /// Uploads were answered with another error.
    case refused
    /// The store takes nothing at the moment.
    case outage
    /// The SDK has no event of that name.
    case unknownEvent
  }

  let kind: Kind
  let message: String
  var count: Int?
  var lastAt: WallInstant?
}

extension ShortfallReason {
  /// Nil for an event of the SDK. Records of other clients may have others, which is why a wait for one is allowed.
  init?(unknownEvent name: String) {
    let known = [RecordEvent.motionchange, .geofence, .providerchange, .heartbeat].map(\.name)
    guard !known.contains(name) else { return nil }
    let near = NearestName.find(name, in: known).map { "; did you mean \($0)?" } ?? ""
    self.init(
      kind: .unknownEvent, message: "the SDK has no event \(name), only \(known.joined(separator: ", "))\(near)")
  }

  /// `of` is the device that was asked for, nil for any.
  init(_ entry: RefusalLog.Entry, of device: String?) {
    let refusal = entry.refusal
    let times = entry.count == 1 ? "1 upload" : "\(entry.count) uploads"
    let name = refusal.device.isEmpty ? device == nil ? "" : " of an unnamed device" : " of \(refusal.device)"
    let rule = refusal.rule.isEmpty ? "a fault" : "the fault rule \(refusal.rule)"
    switch refusal.status {
    case _ where !refusal.fault.isEmpty:
      kind = .fault
      message = "\(times)\(name) met \(rule) (\(refusal.fault)) and got \(refusal.status)"
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

  /// For the end of a message; the others are in the detail.
  var words: String {
    guard !isEmpty else { return "" }
    return "; " + prefix(Self.told).map(\.message).joined(separator: "; ") + (count > Self.told ? "; …" : "")
  }
}

extension ShortfallReason {
  /// `reason`, `message`, and, where they are known, `count` and `lastAt`.
  var json: JSONValue {
    var object: JSONObject = ["reason": .string(kind.rawValue), "message": .string(message)]
    if let count { object["count"] = .integer(Int64(count)) }
    if let lastAt { object["lastAt"] = .string(lastAt.iso8601Text) }
    return .object(object)
  }
}

/// A kind of request of a device that stored nothing.
struct Refusal: Hashable, Sendable {
  let run: String
  /// Empty where the request did not say.
  let device: String
  let status: Int
  /// The `code` of the answer; empty where there is none.
  let code: String
  /// The path where nothing is served; else empty.
  var path = ""
  /// The rule whose fault it met, and the kind of that; empty where none did.
  var rule = ""
  var fault = ""
}

/// The kinds of requests that stored nothing and the latest of each, so that a test whose wait fails gets the reasons. Bounded:
/// the kinds that have not come for longest are forgotten.
final class RefusalLog: Sendable {
  static let kindsMax = 512

  struct Entry: Sendable {
    let refusal: Refusal
    var count = 0
    var lastAt: WallInstant
  }

  private let entries = Mutex<[Refusal: Entry]>([:])

  /// Notes an answer to a request that stored nothing.
  func note(_ exchange: Exchange, _ response: Response) {
    let isUpload = exchange.route.deviceOperation == .uploadLocations && exchange.unservedPath == nil
    guard isUpload || exchange.unservedPath != nil else { return }
    guard response.status >= 400 || exchange.fault?.fault.kind.keepsFromStore == true else { return }
    // An entry is short, whatever a client sends.
    let longest = DeviceIdentity.nameBytesMax
    var refusal = Refusal(
      run: String(exchange.run.prefix(longest)), device: String(exchange.device.prefix(longest)),
      status: response.status, code: response.code ?? "")
    refusal.path = String((exchange.unservedPath ?? "").prefix(longest))
    refusal.rule = exchange.fault?.rule ?? ""
    refusal.fault = exchange.fault?.fault.kind.rawValue ?? ""
    note(refusal, at: exchange.receivedAt)
  }

  func note(_ refusal: Refusal, at instant: WallInstant) {
    entries.withLock { entries in
      if entries[refusal] == nil, entries.count == RefusalLog.kindsMax {
        let kept = entries.values.sorted { $0.lastAt > $1.lastAt }.prefix(RefusalLog.kindsMax / 2)
        entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.refusal, $0) })
      }
      var entry = entries[refusal] ?? Entry(refusal: refusal, lastAt: instant)
      entry.count += 1
      entry.lastAt = max(entry.lastAt, instant)
      entries[refusal] = entry
    }
  }

  /// Those that may be of the device, or of any of the run, the latest first. A path where nothing is served may have missed
  /// the run as well.
  func entries(run: String, device: String?) -> [Entry] {
    entries.withLock { entries in
      entries.values.filter { entry in
        let refusal = entry.refusal
        let isOfRun = refusal.run == run || !refusal.path.isEmpty
        return isOfRun && (device == nil || refusal.device.isEmpty || refusal.device == device)
      }
      .sorted { ($0.lastAt, $0.refusal.code, $0.refusal.path) > ($1.lastAt, $1.refusal.code, $1.refusal.path) }
    }
  }

  /// Forgets those of a run, or all.
  func clear(run: String?) {
    entries.withLock { entries in entries = entries.filter { run != nil && $0.key.run != run } }
  }
}

extension ServerFault.Kind {
  /// What was acknowledged is not stored, or not all of it.
  var keepsFromStore: Bool { self == .pretend || self == .prefix || self == .portal || self == .redirect }
}
