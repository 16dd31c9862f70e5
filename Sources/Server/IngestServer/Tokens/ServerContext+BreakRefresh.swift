import Contract
import JSON
import Synchronization

extension ServerContext {
  /// `PUT /admin/v1/tokens/break-refresh`: `{"next":3,"status":500}`, `{"drop":"after"}`, `{"shape":"nested"}`, with
  /// `device` for one device only; `{"next":0}` ends it.
  func breakRefresh(_ exchange: Exchange) -> Reply {
    do {
      let body = try JSONValue(parsing: exchange.body.span)
      let fields = try AdminFields(body, knows: ["next", "device", "status", "drop", "shape"])
      let times = try fields.integer("next", in: 0...1_000_000) ?? 1
      let breakage = try self.breakage(fields)
      if breakage == nil && times > 0 {
        throw FieldError("", .outOfRange(expected: "one with status, drop or shape"))
      }
      let device = try fields.text("device")
      let isSet = refreshBreakages.withLock {
        $0.set(breakage, run: exchange.run, device: device, times: Int(times))
      }
      guard isSet else { return .answer(.error(429, "too_many_breakages", "there are as many as the server keeps")) }
      return .answer(.count("next", Int(times)))
    } catch {
      return .answer(.error(400, "bad_request", "\(error)"))
    }
  }

  private func breakage(_ fields: AdminFields) throws(FieldError) -> RefreshBreakage? {
    var found: [RefreshBreakage] = []
    if let status = try fields.integer("status", in: 400...599) { found.append(.status(Int(status))) }
    if let name = try fields.text("drop") {
      guard let moment = RefreshBreakage.Moment(rawValue: name) else {
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
    if found.count > 1 { throw FieldError("", .outOfRange(expected: "one with only one of status, drop and shape")) }
    return found.first
  }

  /// The answer of a refresh that succeeded, as it is asked to look.
  func answer(_ tokens: TokenAnswer, broken breakage: RefreshBreakage?) -> Response {
    let good = tokens.refreshJSON
    switch breakage {
    case nil, .status, .drop(.before): return .json { good.write(to: &$0) }
    case .drop(.after):
      var response = Response.json { good.write(to: &$0) }
      response.isCut = true
      return response
    case .shape(.camelCase): return .json { tokens.registrationJSON.write(to: &$0) }
    case .shape(.nested): return .json { JSONValue.object(["data": .object(["tokens": good])]).write(to: &$0) }
    case .shape(.idToken):
      guard case .object(var object) = good else { preconditionFailure("an answer is an object") }
      object["id_token"] = .string("an.identity.token")
      return .json { JSONValue.object(object).write(to: &$0) }
    case .shape(.noTokens): return .json { JSONValue.object(["success": .bool(true)]).write(to: &$0) }
    case .shape(.notJSON): return Response(200, "text/html", Array("<html>Welcome to the airport</html>".utf8))
    }
  }
}
