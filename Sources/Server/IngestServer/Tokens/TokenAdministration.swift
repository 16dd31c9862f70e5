import Base
import Contract
import JSON
import Store
import Synchronization

/// Handles an administrator's requests about the tokens of devices.
struct TokenAdministration: Sendable {
  let authentication: ServerConfiguration.Authentication
  let checks: RefreshChecks

  /// `POST /admin/v1/tokens/expire`: access tokens issued until now are refused as expired, refresh tokens remain valid.
  func expire(_ exchange: Exchange) -> Reply {
    let note =
      authentication == .off
      ? "access tokens are not checked (--auth off); they are refused only with --auth optional or required"
      : nil
    return change(exchange) {
      .change(.expireTokens($0)) { count in
        .respond { session, exchange, output in
          // Tokens have the millisecond of their issue: one that is issued after this answer must have a later one.
          let answer = Response.count("families", count, note: note)
          session.hold(exchange, .response(answer), .milliseconds(1), &output)
        }
      }
    }
  }

  /// `POST /admin/v1/tokens/revoke`: neither access nor refresh tokens are accepted any more.
  func revoke(_ exchange: Exchange) -> Reply {
    change(exchange) { .change(.revokeTokens($0), answering: "families") }
  }

  /// `{"device":"…"}` (of the request's run), `{"family":7}`, `{"run":"…"}` or `{"all":true}`, which in a run means all of the
  /// run.
  private func change(
    _ exchange: Exchange, _ reply: (TokenSelection) -> Reply
  ) -> Reply {
    do {
      let body = try JSONValue(parsing: exchange.body.span)
      return reply(try TokenSelection(AdminFields(body, knows: TokenSelection.keys), exchange))
    } catch {
      return .answer(.error(400, "bad_request", "\(error)"))
    }
  }

  /// `PUT /admin/v1/tokens/break-refresh`: `{"next":3,"status":500}`, `{"drop":"after"}`, `{"shape":"nested"}`, with `device`
  /// for one device only; `{"next":0}` removes the fault.
  func breakRefresh(_ exchange: Exchange) -> Reply {
    do {
      let body = try JSONValue(parsing: exchange.body.span)
      let fields = try AdminFields(body, knows: ["next", "device", "status", "drop", "shape"])
      let times = try fields.integer("next", in: 0...1_000_000) ?? 1
      let breakage = try RefreshBreakage.parse(fields)
      if breakage == nil && times > 0 {
        throw FieldError("", .outOfRange(expected: "an object with status, drop or shape"))
      }
      let device = try fields.text("device")
      let isSet = checks.breakages.withLock {
        $0.set(breakage, run: exchange.run, device: device, times: Int(times))
      }
      guard isSet else {
        return .answer(.error(429, "too_many_breakages", "the limit of injected refresh failures is reached"))
      }
      return .answer(.count("next", Int(times)))
    } catch {
      return .answer(.error(400, "bad_request", "\(error)"))
    }
  }
}

extension TokenSelection {
  fileprivate static let keys = ["device", "family", "run", "all"]

  fileprivate init(_ fields: AdminFields, _ exchange: Exchange) throws(FieldError) {
    let run = exchange.run
    var found: [TokenSelection] = []
    if let device = try fields.text("device") { found.append(.device(DeviceIdentity(run: run, name: device))) }
    if let family = try fields.integer("family", in: 1...Int64.max) { found.append(.family(family)) }
    // The empty string is the run of ordinary traffic.
    if fields.value("run") != nil { found.append(.run(try fields.run(within: exchange))) }
    switch fields.value("all") {
    case nil, .bool(false): break
    case .bool(true): found.append(exchange.optionalRun.map(TokenSelection.run) ?? .all)
    default: throw FieldError("all", .outOfRange(expected: "true or false"))
    }
    guard found.count == 1, let selection = found.first else {
      throw FieldError("", .outOfRange(expected: "an object with exactly one of \(Self.keys.joined(separator: ", "))"))
    }
    self = selection
  }
}
