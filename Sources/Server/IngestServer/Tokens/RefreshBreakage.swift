import Base
import Contract
import JSON
import Store

/// A fault of refreshes that an administrator has requested.
enum RefreshBreakage: Equatable {
  /// Answers with this status; the token is not used up.
  case status(Int)
  /// Cuts the connection, before or after the rotation is stored.
  case drop(DropTime)
  /// Stores the rotation and answers in another shape.
  case shape(Shape)

  enum DropTime: String, CaseIterable {
    case before, after
  }

  enum Shape: String, CaseIterable {
    /// `accessToken`, `refreshToken`, `expires`, as in a registration.
    case camelCase
    /// The tokens in a nested object.
    case nested
    /// An identity token beside the access token, as Cognito sends it.
    case idToken
    /// Valid JSON without any token.
    case noTokens
    /// An HTML page with status 200, as a captive portal sends it.
    case notJSON
  }
}

/// The pending faults of refreshes, with their remaining numbers of times.
struct RefreshBreakages {
  private struct Entry {
    let run: String
    /// The name of the device; nil for any of the run.
    let device: String?
    let breakage: RefreshBreakage
    var remaining: Int
  }

  static let entriesMax = 1_000

  private var entries: [Entry] = []

  /// Replaces the fault for the same run and device. 0 times removes it, and without a device all faults of the run. Returns
  /// false when there are too many.
  mutating func set(_ breakage: RefreshBreakage?, run: String, device: String?, times: Int) -> Bool {
    entries.removeAll { entry in
      guard entry.run.isExactly(run) else { return false }
      guard let device else { return entry.device == nil || times == 0 }
      return device.isExactly(entry.device)
    }
    guard let breakage, times > 0 else { return true }
    guard entries.count < Self.entriesMax else { return false }
    entries.append(Entry(run: run, device: device, breakage: breakage, remaining: times))
    return true
  }

  /// Removes the faults of this run, or all; returns their number.
  mutating func clear(run: String?) -> Int {
    let before = entries.count
    entries.removeAll { run == nil || $0.run.isExactly(run) }
    return before - entries.count
  }

  /// Takes the fault of this refresh; one for this very device takes precedence.
  mutating func take(for device: DeviceIdentity) -> RefreshBreakage? {
    let index =
      entries.firstIndex { $0.run.isExactly(device.run) && device.name.isExactly($0.device) }
      ?? entries.firstIndex { $0.run.isExactly(device.run) && $0.device == nil }
    guard let index else { return nil }
    let breakage = entries[index].breakage
    entries[index].remaining -= 1
    if entries[index].remaining == 0 { entries.remove(at: index) }
    return breakage
  }
}

extension RefreshBreakage {
  /// Reads `status`, `drop` or `shape`; nil for none of them.
  static func parse(_ fields: AdminFields) throws(FieldError) -> RefreshBreakage? {
    var found: [RefreshBreakage] = []
    if let status = try fields.integer("status", in: 400...599) { found.append(.status(Int(status))) }
    if let name = try fields.text("drop") {
      guard let moment = RefreshBreakage.DropTime(rawValue: name) else {
        throw FieldError("drop", .outOfRange(expected: "before or after"))
      }
      found.append(.drop(moment))
    }
    if let name = try fields.text("shape") {
      guard let shape = RefreshBreakage.Shape(rawValue: name) else {
        let names = RefreshBreakage.Shape.allCases.map(\.rawValue).joined(separator: ", ")
        throw FieldError("shape", .outOfRange(expected: "one of \(names)"))
      }
      found.append(.shape(shape))
    }
    if found.count > 1 {
      throw FieldError("", .outOfRange(expected: "an object with exactly one of status, drop and shape"))
    }
    return found.first
  }
}

extension TokenAnswer {
  /// The answer to a successful refresh.
  var refreshed: Response { .json { refreshJSON.write(to: &$0) } }

  /// Returns that answer in the requested shape.
  func refreshed(as shape: RefreshBreakage.Shape) -> Response {
    let good = refreshJSON
    switch shape {
    case .camelCase: return .json { registrationJSON.write(to: &$0) }
    case .nested: return .json { JSONValue.object(["data": .object(["tokens": good])]).write(to: &$0) }
    case .idToken:
      guard case .object(var object) = good else { preconditionFailure("an answer is an object") }
      object["id_token"] = .string("an.identity.token")
      return .json { JSONValue.object(object).write(to: &$0) }
    case .noTokens: return .json { JSONValue.object(["success": .bool(true)]).write(to: &$0) }
    case .notJSON: return Response(200, "text/html", Array("<html>Welcome to the airport</html>".utf8))
    }
  }
}
