package import Base
package import Contract
import HTTP1
import JSON
import Store
import TLS

/// What the server does as an identity provider, beside the provider's own ways.
package struct IdentitySettings: Sendable {
  package var provider: IdentityProvider
  /// Its clock against that of the server that takes the uploads.
  package var clockOffset = Nanoseconds.zero
  /// How often a new key signs; nil: when an administrator asks for one.
  package var keyInterval: Nanoseconds?
  /// `https://login.example`, behind which the provider's paths follow; nil: what the request was sent to.
  package var url: String?
  /// What `aud` of its access tokens says; nil: the provider's default.
  package var audience: String?

  package init(_ provider: IdentityProvider) { self.provider = provider }

  /// Why the audience cannot be chosen; nil when it can.
  package var audienceProblem: String? {
    switch provider {
    case .cognito: "access tokens of Cognito have no aud; backends compare client_id, the ClientId of the login"
    case .firebase: "aud of Firebase is its project, \(IdentityProvider.project), which iss names as well"
    case .keycloak, .auth0, .supabase, .own: nil
    }
  }
}

/// How refresh tokens serve.
struct RefreshPolicy: Equatable, Sendable {
  /// A refresh gives a new one and uses the old one up.
  var rotates = true
  /// How long a used one still gets the same successor; later it ends its family.
  var graceSeconds = 30
}

/// Tokens that are being given out.
struct TokenGrant: Sendable {
  let device: DeviceIdentity
  let family: Int64
  let refreshToken: String
  /// The refresh token is another than the one that was shown.
  let isRefreshNew: Bool
  /// By the clock of the issuer.
  let issuedAt: WallInstant
  /// By the clock of the server.
  let now: WallInstant
  let accessSeconds: Int
  let refreshSeconds: Int
  /// What `iss` says.
  let issuer: String

  var expiresAt: WallInstant { issuedAt.advanced(byMilliseconds: Int64(accessSeconds) * 1_000) }

  func seconds(_ instant: WallInstant) -> JSONValue { .integer(instant.millisecondsSince1970 / 1_000) }

  /// A UUID that follows from the family, as sessions have one.
  var session: String {
    let digest = Cryptography.sha256(Array("\(family).\(device.name)".utf8))
    var text: [UInt8] = []
    // Version and variant of a random one (RFC 9562 §5.4).
    let value = UUID128(digest: digest)
    let high = value.high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    UUID128(high: high, low: value.low & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63).append(lowerCaseTextTo: &text)
    return String(decoding: text, as: UTF8.self)
  }
}

/// What a request to a provider asks for.
enum IdentityDemand {
  case login(String)
  case refresh(String)
  case refused(Response)
}

/// One provider as a value: what its tokens say, and how it speaks. The paths of its requests are in the table of routes.
struct IdentityProfile: Sendable {
  let provider: IdentityProvider
  let algorithm: SignatureAlgorithm
  /// The provider's defaults.
  let accessSeconds: Int
  let refreshSeconds: Int
  let policy: RefreshPolicy
  /// Behind the server's address, what `iss` says.
  let issuerPath: String
  let keysPath: String
  /// Of the discovery document.
  let tokenPath: String
  let accessClaims: @Sendable (TokenGrant, IdentityClient) -> JSONObject
  /// What takes the place of `aud` in them, where the server's settings or the client say so.
  var audience: (@Sendable (_ chosen: String?, IdentityClient) -> JSONValue?)?
  /// Nil where there is no token about the user.
  let identityClaims: (@Sendable (TokenGrant, IdentityClient) -> JSONObject?)?
  /// Nil for the server's own routes, which are there anyway.
  let interface: IdentityInterface?

  static func of(_ provider: IdentityProvider) -> IdentityProfile {
    switch provider {
    case .keycloak: keycloak
    case .cognito: cognito
    case .auth0: auth0
    case .firebase: firebase
    case .supabase: supabase
    case .own: own
    }
  }
}

/// How a provider reads requests, and words answers and errors.
struct IdentityInterface: Sendable {
  let demand: @Sendable (IdentityRequest) -> IdentityDemand
  let answer: @Sendable (TokenGrant, IdentityTokens, IdentityRequest) -> Response
  let refusal: @Sendable (TokenRefusal, IdentityRequest) -> Response
}

/// The app that tokens are for, as it has named itself.
struct IdentityClient: Sendable {
  var name = IdentityProvider.client
  /// The words of its scope; nil for all that the provider gives.
  var scope: [String]?
  /// The interface of the backend for which it wants a token.
  var audience: String?

  func mayHave(_ word: String) -> Bool { scope?.contains(word) ?? true }
}

/// What was signed for a grant.
struct IdentityTokens: Sendable {
  let access: String
  let identity: String?
  /// The one of the server's settings.
  let audience: String?
}

/// A request to a provider, its body read as far as it can be.
struct IdentityRequest: Sendable {
  /// What the path is for.
  enum Place: Sendable {
    case token, login, service
  }

  let place: Place
  let isForm: Bool
  let isJSON: Bool
  /// Of a form, or the members of a JSON object as texts.
  let fields: [NameValuePair]
  let document: JSONValue?
  let query: QueryParameters
  /// The operation of a service of AWS.
  let amazonTarget: String?

  init(_ exchange: Exchange, _ place: Place, _ limits: HTTPLimits) {
    self.place = place
    query = exchange.query
    amazonTarget = exchange.amazonTarget
    let essence = exchange.mediaType?.essence ?? ""
    let isForm = essence == ContentType.form
    self.isForm = isForm
    isJSON = essence == ContentType.json || essence.hasPrefix("application/x-amz-json")
    var document: JSONValue?
    if !isForm {
      do throws(JSONError) {
        document = try JSONValue(parsing: exchange.body.span, reading: .lenient)
      } catch { document = nil }
    }
    self.document = document
    guard isForm else {
      fields = document.map(NameValuePair.list) ?? []
      return
    }
    do throws(HTTPError) {
      fields = try FormItem.parse(exchange.body.span, limits: limits).map { NameValuePair($0.name, $0.value) }
    } catch { fields = [] }
  }

  /// The client that asks. A refresh that names no scope has that of its login (RFC 6749 §6), which is taken to have had every word.
  var client: IdentityClient {
    var client = IdentityClient()
    if let name = field("client_id") { client.name = name }
    if case .string(let name)? = document?["ClientId"] { client.name = name }
    client.audience = field("audience")
    if field("scope") != nil || field("grant_type") != "refresh_token" {
      client.scope = (field("scope") ?? "").split(separator: " ").map(String.init)
    }
    return client
  }

  /// Nil when it is missing or empty.
  func field(_ name: String) -> String? { fields.first { $0.name == name && !$0.value.isEmpty }?.value }
}

extension Response {
  /// RFC 6749 §5.2.
  static func oauth(_ status: Int, _ error: String, _ description: String? = nil) -> Response {
    .object(status) { writer in
      writer.member("error", error)
      if let description { writer.member("error_description", description) }
    }.uncached
  }

  /// Tokens are not to be kept on the way (RFC 6749 §5.1).
  var uncached: Response { with(HeaderName.cacheControl, "no-store") }
}
