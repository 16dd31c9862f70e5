import Base
import JSON

/// A reason, known to the server, why fewer records are stored than somebody expects.
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
  }

  let kind: Kind
  let message: String
  var count: Int?
  var lastAt: WallInstant?
}

extension ShortfallReason {
  /// `of` is the device that was asked for, nil for any.
  init(_ entry: RefusalBook.Entry, of device: String?) {
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
        "\(requests) to \(refusal.path) got \(refusal.status): nothing is served there; uploads go to /locations"
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
