import Base
import Contract
import HTTP1
import JSON
import Store

/// Providers with proprietary interfaces, and this server.
extension IdentityProfile {
  /// firebase.google.com/docs/reference/rest/auth: "Sign in with email / password" and "Exchange a refresh token for an ID
  /// token". Numbers are strings. Backends get the ID token, which the answer to a refresh also has under `access_token`
  /// (qiita.com/yakimeron/items/1a30f3385a0579f4eece). The refresh token stays the same. Missing fields are refused as by
  /// Firebase's own emulator (github.com/firebase/firebase-tools, src/emulator/auth), and the shape of a refused refresh is
  /// that of github.com/awinogrodzki/next-firebase-auth-edge/issues/21.
  static let firebase = IdentityProfile(
    provider: .firebase, algorithm: .rs256, accessSeconds: 3_600, refreshSeconds: 10 * 365 * 86_400,
    policy: RefreshPolicy(rotates: false, graceSeconds: 0), issuerPath: "/\(IdentityProvider.project)",
    keysPath: "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", tokenPath: "/v1/token",
    accessClaims: { grant, _ in
      var claims = registered(grant)
      claims["aud"] = .string(IdentityProvider.project)
      claims["auth_time"] = claims["iat"]
      claims["user_id"] = .string(grant.device.name)
      claims["firebase"] = .object(["identities": .object([:]), "sign_in_provider": .string("password")])
      return claims
    },
    identityClaims: nil,
    interface: IdentityInterface(
      demand: { request in
        guard request.place == .login else { return securetoken(request) }
        guard let email = request.fields.first(where: { $0.name == "email" }) else {
          return .refused(toolkitError("MISSING_EMAIL"))
        }
        guard !email.value.isEmpty else { return .refused(toolkitError("INVALID_EMAIL")) }
        guard request.field("password") != nil else { return .refused(toolkitError("MISSING_PASSWORD")) }
        return .login(email.value)
      },
      answer: { grant, tokens, request in
        request.place == .login ? signedIn(grant, tokens) : exchanged(grant, tokens)
      },
      refusal: { refusal, _ in
        switch refusal {
        case .unknown, .wrongDevice, .replayed: securetokenError("INVALID_REFRESH_TOKEN")
        case .expired, .revoked: securetokenError("TOKEN_EXPIRED")
        case .deviceDeleted: securetokenError("USER_NOT_FOUND")
        }
      }))

  private static func securetoken(_ request: IdentityRequest) -> IdentityDemand {
    guard request.isForm || request.isJSON else { return .refused(securetokenError("INVALID_GRANT_TYPE")) }
    switch request.field("grant_type") {
    case "refresh_token": break
    case nil: return .refused(securetokenError("MISSING_GRANT_TYPE"))
    default: return .refused(securetokenError("INVALID_GRANT_TYPE"))
    }
    return request.field("refresh_token").map { .refresh($0) } ?? .refused(securetokenError("MISSING_REFRESH_TOKEN"))
  }

  private static func signedIn(_ grant: TokenGrant, _ tokens: IdentityTokens) -> Response {
    .object { writer in
      writer.member("kind", "identitytoolkit#VerifyPasswordResponse")
      writer.member("localId", grant.device.name)
      writer.member("email", grant.device.name)
      writer.member("displayName", "")
      writer.member("idToken", tokens.access)
      writer.member("registered", true)
      writer.member("refreshToken", grant.refreshToken)
      writer.member("expiresIn", "\(grant.accessSeconds)")
    }.uncached
  }

  private static func exchanged(_ grant: TokenGrant, _ tokens: IdentityTokens) -> Response {
    .object { writer in
      writer.member("access_token", tokens.access)
      writer.member("expires_in", "\(grant.accessSeconds)")
      writer.member("token_type", "Bearer")
      writer.member("refresh_token", grant.refreshToken)
      writer.member("id_token", tokens.access)
      writer.member("user_id", grant.device.name)
      writer.member("project_id", "1000000000")
    }.uncached
  }

  private static func securetokenError(_ message: String) -> Response {
    googleError(message) { $0.member("status", "INVALID_ARGUMENT") }
  }

  private static func toolkitError(_ message: String) -> Response {
    googleError(message) { writer in
      writer.key("errors")
      writer.beginArray()
      writer.beginObject()
      writer.member("message", message)
      writer.member("domain", "global")
      writer.member("reason", "invalid")
      writer.endObject()
      writer.endArray()
    }
  }

  /// Returns an error of both services, whose remaining members `rest` writes.
  private static func googleError(_ message: String, _ rest: (inout JSONWriter) -> Void) -> Response {
    .object(400) { writer in
      writer.key("error")
      writer.beginObject()
      writer.member("code", 400)
      writer.member("message", message)
      rest(&writer)
      writer.endObject()
    }.uncached
  }

  /// The token endpoint of Supabase Auth: github.com/supabase/auth, openapi.yaml and internal/api/token_refresh.go. Bodies are
  /// JSON only, a used token whose successor is still unused gets that successor at any time, and codes are those of
  /// supabase.com/docs/guides/auth/debugging/error-codes.
  static let supabase = IdentityProfile(
    provider: .supabase, algorithm: .es256, accessSeconds: 3_600, refreshSeconds: 10 * 365 * 86_400,
    policy: RefreshPolicy(rotates: true, graceSeconds: 10 * 365 * 86_400), issuerPath: "/auth/v1",
    keysPath: "/auth/v1/.well-known/jwks.json", tokenPath: "/auth/v1/token",
    accessClaims: { grant, _ in
      var claims = registered(grant)
      claims["aud"] = .string("authenticated")
      claims["email"] = .string(grant.device.name)
      claims["role"] = .string("authenticated")
      claims["aal"] = .string("aal1")
      claims["session_id"] = .string(grant.session)
      claims["is_anonymous"] = .bool(false)
      return claims
    },
    audience: { chosen, _ in chosen.map { .string($0) } },
    identityClaims: nil,
    interface: IdentityInterface(
      demand: { request in
        guard case .object? = request.document else {
          return .refused(supabaseError(400, "bad_json", "Could not parse request body as JSON"))
        }
        let isSignUp = request.place == .login
        switch isSignUp ? "password" : request.query.text("grant_type") {
        case "password":
          guard let name = request.field("email"), request.field("password") != nil else {
            return .refused(supabaseError(400, "invalid_credentials", "Invalid login credentials"))
          }
          return .login(name)
        case "refresh_token":
          return request.field("refresh_token").map { .refresh($0) }
            ?? .refused(supabaseError(400, "validation_failed", "refresh_token required"))
        default: return .refused(.oauth(400, "unsupported_grant_type"))
        }
      },
      answer: { grant, tokens, _ in
        .object { writer in
          writer.member("access_token", tokens.access)
          writer.member("token_type", "bearer")
          writer.member("expires_in", grant.accessSeconds)
          writer.member("expires_at", grant.expiresAt.millisecondsSince1970 / 1_000)
          writer.member("refresh_token", grant.refreshToken)
          writer.key("user")
          writer.beginObject()
          writer.member("id", grant.device.name)
          writer.member("aud", tokens.audience ?? "authenticated")
          writer.member("role", "authenticated")
          writer.member("email", grant.device.name)
          writer.member("is_anonymous", false)
          writer.endObject()
        }.uncached
      },
      refusal: { refusal, _ in
        let (code, reason) =
          switch refusal {
          case .replayed: ("refresh_token_already_used", "Already Used")
          case .expired: ("session_expired", "Session Expired")
          case .unknown, .revoked, .wrongDevice, .deviceDeleted: ("refresh_token_not_found", "Refresh Token Not Found")
          }
        return supabaseError(400, code, "Invalid Refresh Token: \(reason)")
      }))

  private static func supabaseError(_ status: Int, _ code: String, _ message: String) -> Response {
    .object(status) { writer in
      writer.member("code", status)
      writer.member("error_code", code)
      writer.member("msg", message)
    }.uncached
  }

  /// The server's own routes, with tokens that others can verify.
  static let own = IdentityProfile(
    provider: .own, algorithm: .es256, accessSeconds: 3_600, refreshSeconds: 90 * 86_400, policy: RefreshPolicy(),
    issuerPath: "", keysPath: "/.well-known/jwks.json", tokenPath: "/api/refresh_token",
    accessClaims: { grant, _ in
      var claims = registered(grant)
      claims["token_use"] = .string("access")
      return claims
    },
    audience: { chosen, _ in chosen.map { .string($0) } }, identityClaims: nil, interface: nil)
}
