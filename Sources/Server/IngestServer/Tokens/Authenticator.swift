import Base
import Contract
import Store

/// Checks the tokens of uploads.
struct Authenticator: Sendable {
  let mode: ServerConfiguration.Authentication
  let codec: AccessTokenCodec

  /// The token of an upload, its signature and expiry checked; whether it was revoked only the store knows, which looks in
  /// the transaction that stores the records. Nil when none is needed and none is shown.
  func authenticate(_ exchange: Exchange) throws(ResponseError) -> AccessToken? {
    if mode == .off { return exchange.bearer.flatMap { signedToken($0) } }
    guard let bearer = exchange.bearer else {
      if mode == .optional { return nil }
      throw ResponseError(.unauthorized("token_required", "this server needs an access token"))
    }
    if bearer.elementsEqual(TransistorToken.dummyAccessToken.utf8) { throw ResponseError(.neverRegistered) }
    var token: AccessToken?
    do throws(AccessTokenError) {
      let signed = try codec.verify(bearer)
      guard signed.scope == .device else { throw AccessTokenError.malformed }
      token = signed
      try codec.checkTimes(of: signed, now: exchange.receivedAt)
      return signed
    } catch {
      // A token that is only too old still names its device.
      let response = Response.unauthorized("token_\(error)", "the access token is not accepted")
      throw ResponseError(response.to(exchange.identity(token?.subject)))
    }
  }

  /// Where no token is asked for, one that this server has made names the device, however old it is: the device is not told
  /// to refresh it, and must not change its name when it expires. Any other is ignored.
  private func signedToken(_ bearer: [UInt8]) -> AccessToken? {
    do throws(AccessTokenError) {
      let token = try codec.verify(bearer)
      return token.scope == .device ? token : nil
    } catch {
      return nil
    }
  }
}

extension Response {
  /// What an app shows whose registration failed. The status is the demo server's; it makes no client refresh
  /// (SDK §21).
  static let neverRegistered = Response.error(406, "dummy_token", "this app has not registered; its token is a dummy")
}
