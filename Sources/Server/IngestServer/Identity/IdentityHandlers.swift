import Base
import Contract
import HTTP1
import JSON
import Store

/// Issues tokens in the name of a provider, and verifies them.
struct IdentityIssuer: Sendable {
  let profile: IdentityProfile
  let settings: IdentitySettings
  let ring: KeyRing

  /// Returns the time by the provider's clock.
  func time(_ now: WallInstant) -> WallInstant {
    now.advanced(byMilliseconds: settings.clockOffset.wholeMilliseconds)
  }

  /// Returns the value of `iss` for requests that were sent to `origin`.
  func name(for origin: String) -> String { base(origin) + profile.issuerPath }

  func base(_ origin: String) -> String {
    guard let url = settings.url else { return origin }
    return url.hasSuffix("/") ? String(url.dropLast()) : url
  }

  func sign(_ grant: TokenGrant, for client: IdentityClient = IdentityClient()) -> IdentityTokens {
    var claims = profile.accessClaims(grant, client)
    if let audience = profile.audience?(settings.audience, client) { claims["aud"] = audience }
    // The family, and the time of issue by this server's clock in milliseconds: the store needs both.
    claims[Self.ownClaim] = .object([
      "family": .integer(grant.family), "issued": .integer(grant.now.millisecondsSince1970),
    ])
    let identity = profile.identityClaims.flatMap { $0(grant, client) }.map { ring.sign($0, at: grant.now) }
    return IdentityTokens(
      access: ring.sign(claims, at: grant.now), identity: identity, audience: settings.audience)
  }

  /// Returns nil for a token that none of the keys has signed.
  func verify(_ token: SignedToken) throws(AccessTokenError) -> Accepted? {
    guard let claims = try ring.verify(token) else { return nil }
    let times = try TokenTimes(claims)
    guard case .string(let device)? = claims["sub"], case .integer(let family)? = claims[Self.ownClaim]?["family"],
      case .integer(let issued)? = claims[Self.ownClaim]?["issued"], let issuedAt = WallInstant(exactly: issued)
    else { throw .wrongType }
    return Accepted(device: device, family: family, issuedAt: issuedAt, times: times)
  }

  struct Accepted {
    let device: String
    let family: Int64
    let issuedAt: WallInstant
    let times: TokenTimes
  }

  /// The only claim that no provider has.
  private static let ownClaim = "rollingroad"
}

/// Handles the routes of the providers. Those of a provider that the server does not pose as answer 404.
struct IdentityHandlers: Sendable {
  let tokens: TokenHandlers

  /// Handles a login or a refresh.
  func grant(_ provider: IdentityProvider, _ place: IdentityRequest.Place, _ exchange: Exchange) -> Reply {
    guard let issuer = tokens.issuer, issuer.profile.provider == provider, let interface = issuer.profile.interface
    else { return .answer(.notFound) }
    let request = IdentityRequest(exchange, place, tokens.limits)
    let client = request.client
    let voice = TokenWording(
      sign: { issuer.sign($0, for: client).access },
      answer: { interface.answer($0, issuer.sign($0, for: client), request) },
      refuse: { refusal, _ in interface.refusal(refusal, request) }, holdsOff: false)
    switch interface.demand(request) {
    case .refused(let response): return .answer(response)
    case .login(let name):
      guard let device = exchange.identity(name) else { return .answer(.nameTooLong) }
      exchange.device = name
      return tokens.begin(device, exchange, voice)
    case .refresh(let text):
      exchange.device = RefreshToken(text: text)?.device.name ?? ""
      return tokens.rotate(text, exchange, voice)
    }
  }

  /// Returns the public keys.
  func keys(_ provider: IdentityProvider..., for exchange: Exchange) -> Reply {
    guard let issuer = tokens.issuer, provider.contains(issuer.profile.provider) else { return .answer(.notFound) }
    let (ring, now, asked) = (issuer.ring, exchange.receivedAt, exchange.begunAt)
    let answer = { @Sendable in Response.json { ring.publicSet(at: now).write(to: &$0) } }
    guard ring.isShared else { return .answer(answer()) }
    return .ask { (_: any StoreReader) throws(StoreError) in
      ring.refresh(since: asked)
      return answer()
    }
  }

  /// Returns the discovery document (OpenID Connect Discovery 1.0 §4).
  func discovery(_ provider: IdentityProvider..., for exchange: Exchange) -> Reply {
    guard let issuer = tokens.issuer, provider.contains(issuer.profile.provider) else { return .answer(.notFound) }
    let profile = issuer.profile
    let base = issuer.base(exchange.origin)
    return .answer(
      .object { writer in
        writer.member("issuer", issuer.name(for: exchange.origin))
        writer.member("token_endpoint", base + profile.tokenPath)
        writer.member("jwks_uri", base + profile.keysPath)
        for (key, values) in [
          ("grant_types_supported", ["password", "refresh_token"]), ("response_types_supported", ["token"]),
          ("subject_types_supported", ["public"]),
          ("id_token_signing_alg_values_supported", [profile.algorithm.rawValue]),
        ] {
          writer.key(key)
          writer.beginArray()
          for value in values { writer.value(value) }
          writer.endArray()
        }
      })
  }

  /// `POST /admin/v1/tokens/rotate-keys`: a new key signs from now on, and the old ones stay until their tokens have expired.
  func rotateKeys(_ exchange: Exchange) -> Reply {
    guard let issuer = tokens.issuer else {
      return .answer(.error(409, "no_identity", "the server signs with one key; start it with --identity"))
    }
    let (ring, now) = (issuer.ring, exchange.receivedAt)
    // On a reader's thread: an event loop would serve nothing while a key is made, or the database is asked.
    return .ask { (_: any StoreReader) throws(StoreError) in
      do throws(StoreError) { return Self.rotated(try ring.rotate(at: now)) } catch {
        if ring.isShared { throw error }
        return .error(500, "keys_not_kept", error.message)
      }
    }
  }

  private static func rotated(_ count: Int?) -> Response {
    guard let count else {
      return .error(
        409, "too_many_keys",
        "the set has \(JSONWebKeySet.keysMax) keys; wait until tokens of old ones have ended (--access-ttl)")
    }
    return .count("keys", count)
  }
}
