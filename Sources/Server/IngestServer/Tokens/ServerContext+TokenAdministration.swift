import Contract
import JSON
import Store

extension ServerContext {
  /// `POST /admin/v1/tokens/expire`: access tokens issued until now are refused as expired, refresh tokens go on.
  func expireTokens(_ exchange: Exchange) -> Reply {
    change(exchange) { .expireTokens($0) }
  }

  /// `POST /admin/v1/tokens/revoke`: neither access nor refresh tokens are taken any more.
  func revokeTokens(_ exchange: Exchange) -> Reply {
    change(exchange) { .revokeTokens($0) }
  }

  /// `{"device":"…"}` (of the request's run), `{"family":7}`, `{"run":"…"}` or `{"all":true}`.
  private func change(_ exchange: Exchange, _ job: (TokenSelection) -> StoreJob) -> Reply {
    do {
      let body = try JSONValue(parsing: exchange.body.span)
      let selection = try TokenSelection(AdminFields(body, knows: TokenSelection.keys), run: exchange.target.run)
      return .store(job(selection), afterwards: .count("families"))
    } catch {
      return .answer(.error(400, "bad_request", "\(error)"))
    }
  }
}

extension TokenSelection {
  fileprivate static let keys = ["device", "family", "run", "all"]

  fileprivate init(_ fields: AdminFields, run: String) throws(FieldError) {
    var found: [TokenSelection] = []
    if let device = try fields.text("device") { found.append(.device(DeviceIdentity(run: run, name: device))) }
    if let family = try fields.integer("family", in: 1...Int64.max) { found.append(.family(family)) }
    // The empty text is the run of ordinary traffic.
    if let run = try fields.text("run") { found.append(.run(run)) }
    switch fields.value("all") {
    case nil, .bool(false): break
    case .bool(true): found.append(.all)
    default: throw FieldError("all", .outOfRange(expected: "true or false"))
    }
    guard found.count == 1, let selection = found.first else {
      throw FieldError("", .outOfRange(expected: "one with exactly one of \(Self.keys.joined(separator: ", "))"))
    }
    self = selection
  }
}
