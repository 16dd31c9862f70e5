import Base
import Contract
import JSON
import Store

extension ServerContext {
  /// A device asks for its first pair of tokens (SDK §21).
  func register(_ exchange: Exchange) -> Reply {
    let request: RegisterRequest
    do {
      request = try RegisterRequest(JSONValue(parsing: exchange.body.span, duplicateKeys: .lastWins))
    } catch {
      return .answer(.error(400, "bad_registration", "\(error)"))
    }
    guard let device = identity(exchange, request.deviceID ?? request.uuid) else { return .answer(.nameTooLong) }
    let refresh = RefreshToken(for: device)
    let family = TokenFamily(device: device, refresh: refresh.hash, expiresAt: refreshExpiry(from: exchange.receivedAt))
    return .store(.beginFamily(family), afterwards: .registration(refresh))
  }

  func registered(_ refresh: RefreshToken, _ result: StoreResult, at now: WallInstant) -> Response {
    switch result {
    case .family(let family):
      let answer = answer(refresh, family: family, at: now).registrationJSON
      return .json { answer.write(to: &$0) }
    case .unavailable(let outage): return .unavailable(outage)
    default: preconditionFailure("the store answers a registration with a family or an outage")
    }
  }

  /// A new access token beside the refresh token.
  func answer(_ refresh: RefreshToken, family: Int64, at now: WallInstant) -> TokenAnswer {
    let token = AccessToken(
      scope: .device, subject: refresh.device.name, family: family, issuedAt: now,
      expiresAt: now.advanced(byMilliseconds: Int64(configuration.accessSeconds) * 1_000))
    return TokenAnswer(
      accessToken: tokens.encode(token), refreshToken: refresh.text,
      expiresInSeconds: Double(configuration.accessSeconds))
  }

  func refreshExpiry(from now: WallInstant) -> WallInstant {
    now.advanced(byMilliseconds: Int64(configuration.refreshSeconds) * 1_000)
  }
}
