import Base
import Contract
import JSON
import Store

/// A fault of refreshes that an administrator asks for.
enum RefreshBreakage: Equatable {
  /// Answered with this status; the token is not used up.
  case status(Int)
  /// The connection is cut, before or after the rotation is stored.
  case drop(DropTime)
  /// The rotation is stored and answered in another shape.
  case shape(Shape)

  enum DropTime: String, CaseIterable {
    case before, after
  }

  enum Shape: String, CaseIterable {
    /// `accessToken`, `refreshToken`, `expires`, as registration has it.
    case camelCase
    /// The tokens one object deeper.
    case nested
    /// An identity token beside the access token, as Cognito sends it.
    case idToken
    /// Valid JSON without any token.
    case noTokens
    /// A page of HTML with status 200, as a captive portal sends it.
    case notJSON
  }
}

/// The faults of refreshes that wait to happen, and how many times each.
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

  /// Replaces what was asked for the same run and device. 0 times ends it, and where no device is named all that was asked for in
  /// the run. False when there are too many.
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

  /// Ends what was asked for in this run, or in all; says how many things.
  mutating func clear(run: String?) -> Int {
    let before = entries.count
    entries.removeAll { run == nil || $0.run.isExactly(run) }
    return before - entries.count
  }

  /// The fault of this refresh; one for the device itself goes first.
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
  /// `status`, `drop` or `shape`; nil for none of them.
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
  /// The answer of a refresh that succeeded.
  var refreshed: Response { .json { refreshJSON.write(to: &$0) } }

  /// The same in the shape that was asked for.
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
