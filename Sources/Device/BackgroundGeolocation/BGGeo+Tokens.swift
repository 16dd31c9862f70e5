import Base
import Contract
import Database
import Host
import JSON
import Queue
import Upload
import Vocabulary

extension BGGeo {
  private static let keyPrefix = "token:"
  private static let registrationTimeout = Nanoseconds.seconds(60)

  /// Returns the stored token for the host of `url`, or a new one, for which the device registers under the names `org`
  /// and `username` at `url` + `/api/register`. Pass it to `ready`. Throws `BGGeoError`: with the status as its code
  /// when the server refuses, 0 when it does not answer, -1 when the answer holds no token or `url` has no host.
  public func findOrCreateToken(
    org: String, username: String, url: String = "https://tracker.transistorsoft.com", framework: String = "Swift"
  ) async throws -> TransistorToken {
    guard let host = Self.host(of: url) else { throw BGGeoError("\(url) names no host") }
    if let kept = keptToken(host) { return kept }
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    let description = platform.description
    var body = RegisterRequest(
      org: org, uuid: username, model: description.model, manufacturer: description.manufacturer,
      version: description.version)
    body.platform = description.platform.rawValue
    body.framework = framework
    let request = OutgoingRequest(
      id: 0, purpose: .refresh, method: "POST", url: base + "/api/register",
      headers: [
        NameValuePair(HeaderName.contentType, ContentType.json),
        NameValuePair(HeaderName.userAgent, description.userAgent),
      ], body: body.json.serialized, timeout: Self.registrationTimeout)
    let outcome = await withCheckedContinuation { continuation in
      platform.transport.send(request) { continuation.resume(returning: $0) }
    }
    let token = try Self.token(in: outcome, url: base)
    keep(token.json, host)
    return TransistorToken(token)
  }

  /// Deletes the token for the host of `url`.
  public func destroyToken(url: String) {
    guard let host = Self.host(of: url) else { return }
    device.perform { core, now in
      do throws(DatabaseError) {
        try core.database.state(of: 0).remove(Self.keyPrefix + host)
      } catch { core.note(.error("\(error)", from: .authorization), at: now) }
    }
  }

  /// Whether a token is stored for this host.
  public func hasToken(forHost host: String) -> Bool { keptToken(host.lowercased()) != nil }

  private static func token(in outcome: RequestOutcome, url: String) throws(BGGeoError) -> Contract.TransistorToken {
    switch outcome {
    case .failed(_, let message): throw BGGeoError(message, code: 0)
    case .answered(let status, _, let body):
      let text = String(decoding: body, as: UTF8.self)
      guard 200..<300 ~= status else { throw BGGeoError(text, code: status) }
      guard let answer = JSONObject(parsing: body) else { throw BGGeoError("the answer is not a JSON object: \(text)") }
      let found = FoundTokens(searching: .object(answer))
      guard let access = found.accessToken, let refresh = found.refreshToken else {
        throw BGGeoError("the answer holds no tokens: \(text)")
      }
      return Contract.TransistorToken(
        accessToken: access, refreshToken: refresh, expires: found.expires ?? TokenExpiry.never, url: url)
    }
  }

  private func keptToken(_ host: String) -> TransistorToken? {
    let kept = device.perform { core, _ -> TransistorToken? in
      do {
        guard let bytes = try core.database.state(of: 0).value(Self.keyPrefix + host) else { return nil }
        return TransistorToken(try Contract.TransistorToken(JSONValue(parsing: bytes.span)))
      } catch { return nil }
    }
    return kept ?? nil
  }

  private func keep(_ token: JSONValue, _ host: String) {
    let text = token.serialized
    device.perform { core, now in
      do throws(DatabaseError) {
        try core.database.state(of: 0).set(Self.keyPrefix + host, to: text.span)
      } catch { core.note(.error("\(error)", from: .authorization), at: now) }
    }
  }

  /// The host in lower case, without the port.
  private static func host(of url: String) -> String? {
    var configuration = Configuration(platform: .ios)
    configuration.http.url = url
    guard configuration.http.uploadURL != nil else { return nil }
    do throws(HostAndPort.Problem) { return try HostAndPort(URLParts(url).host).host.lowercased() } catch { return nil }
  }
}
