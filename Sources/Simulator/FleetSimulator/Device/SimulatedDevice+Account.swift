import Base
import Contract
import Host
import JSON
import Scenario
import Upload
import Vocabulary

/// The app behind the SDK, where a server wants tokens: it registers, gives the SDK what it got, and registers again when
/// the SDK tells it that the server takes its refresh token no more (SDK §11).
extension SimulatedDevice {
  /// The app has started, or has lost its tokens.
  mutating func seekTokens(at instant: MonotonicInstant) {
    if host.configuration.authorization.accessToken == nil { account?.nextAttempt = instant }
  }

  mutating func register(at now: Moment, in site: Site) {
    guard let due = account?.nextAttempt, due <= now.monotonic, let authorization = site.setup.authorization else {
      return
    }
    account?.nextAttempt = nil
    account?.attempts += 1
    var form = RegisterRequest(
      org: "rolling-road", uuid: name, model: "Simulated", manufacturer: "Rolling Road", version: "15")
    form.deviceID = name
    let request = OutgoingRequest(
      id: Account.firstRequest + (account?.attempts ?? 0), purpose: .log, method: "POST",
      url: SimulatedDevice.url(authorization.tokenURL, in: site),
      headers: [NameValuePair("Content-Type", "application/json")], body: form.json.serialized, timeout: .seconds(60))
    send(request, at: now, in: site)
  }

  /// What came of it.
  mutating func registered(_ outcome: RequestOutcome, at now: Moment, in site: Site) {
    guard let authorization = site.setup.authorization, let tokens = FoundTokens(in: outcome),
      let accessToken = tokens.accessToken
    else {
      account?.nextAttempt = now.monotonic + Account.retryInterval
      return
    }
    host.edit(at: now) { configuration in
      configuration.edit { draft in
        draft.authorization.strategy = .jwt
        draft.authorization.accessToken = accessToken
        draft.authorization.refreshToken = tokens.refreshToken
        draft.authorization.refreshUrl = SimulatedDevice.url(authorization.refreshURL, in: site)
        draft.authorization.refreshPayload = .object(["refresh_token": .string("{refreshToken}")])
        draft.authorization.expires = tokens.expires ?? TokenExpiry.never
      }
    }
  }

  /// A refresh has failed. A server in trouble is asked again by the SDK; one that refuses wants a new registration.
  mutating func hear(_ event: AuthorizationEvent, at instant: MonotonicInstant) {
    let isRefused = !event.isSuccess && (400..<500).contains(event.status) && ![408, 429].contains(event.status)
    if isRefused { account?.nextAttempt = instant }
  }

  var name: String { "\(fleet.setup.name)-\(index)" }

  static func url(_ path: String, in site: Site) -> String {
    if path.hasPrefix("http") { return path }
    return (site.setup.outside?.origin ?? "http://server.example") + (path.hasPrefix("/") ? path : "/" + path)
  }
}

extension FoundTokens {
  /// Nil unless the answer is a success with something to read.
  fileprivate init?(in outcome: RequestOutcome) {
    guard case .answered(200..<300, _, let body) = outcome else { return nil }
    do throws(JSONError) {
      self.init(searching: try JSONValue(parsing: body.span, duplicateKeys: .lastWins))
    } catch { return nil }
  }
}
