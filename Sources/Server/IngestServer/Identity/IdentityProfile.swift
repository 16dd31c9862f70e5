package import Base
package import Contract
import HTTP1
import JSON
import Store
import TLS

/// The settings of the emulated identity provider that do not follow from the provider itself.
package struct IdentitySettings: Sendable {
  package var provider: IdentityProvider
  /// The offset of the provider's clock from that of the server that receives the uploads.
  package var clockOffset = Nanoseconds.zero
  /// The interval of key rotation; nil when only an administrator rotates keys.
  package var keyInterval: Nanoseconds?
  /// `https://login.example`, followed by the provider's paths; nil for the origin of the request.
  package var url: String?
  /// The `aud` of its access tokens; nil for the provider's default.
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

/// The rules for refresh tokens.
struct RefreshPolicy: Equatable, Sendable {
  /// Whether a refresh returns a new one and uses up the old one.
  var rotates = true
  /// How long a used one still gets the same successor; later it revokes its family.
  var graceSeconds = 30
}

/// The tokens being issued.
struct TokenGrant: Sendable {
  let device: DeviceIdentity
  let family: Int64
  let refreshToken: String
  /// Whether the refresh token differs from the one presented.
  let isRefreshNew: Bool
  /// By the clock of the issuer.
  let issuedAt: WallInstant
  /// By the clock of the server.
  let now: WallInstant
  let accessSeconds: Int
  let refreshSeconds: Int
  /// The value of `iss`.
  let issuer: String

  var expiresAt: WallInstant { issuedAt.advanced(byMilliseconds: Int64(accessSeconds) * 1_000) }

  func seconds(_ instant: WallInstant) -> JSONValue { .integer(instant.millisecondsSince1970 / 1_000) }

  /// A UUID derived from the family, for providers with session ids.
  var session: String {
    let digest = Cryptography.sha256(Array("\(family).\(device.name)".utf8))
    var text: [UInt8] = []
    // Version and variant of a random UUID (RFC 9562 §5.4).
    let value = UUID128(digest: digest)
    let high = value.high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    UUID128(high: high, low: value.low & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63).append(lowerCaseTextTo: &text)
    return String(decoding: text, as: UTF8.self)
  }
}

/// The operation that a request to a provider asks for.
enum IdentityDemand {
  case login(String)
  case refresh(String)
  case refused(Response)
}

/// The claims, rules and interface of one provider. The paths of its requests are in the route table.
struct IdentityProfile: Sendable {
  let provider: IdentityProvider
  let algorithm: SignatureAlgorithm
  /// The provider's defaults.
  let accessSeconds: Int
  let refreshSeconds: Int
  let policy: RefreshPolicy
  /// The path of `iss`, after the server's address.
  let issuerPath: String
  let keysPath: String
  /// For the discovery document.
  let tokenPath: String
  let accessClaims: @Sendable (TokenGrant, IdentityClient) -> JSONObject
  /// Overrides `aud` of the access claims when the server's settings or the client demand it.
  var audience: (@Sendable (_ chosen: String?, IdentityClient) -> JSONValue?)?
  /// The claims of identity tokens; nil for a provider without them.
  let identityClaims: (@Sendable (TokenGrant, IdentityClient) -> JSONObject?)?
  /// The provider's own interface; nil for the server's routes, which always exist.
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

/// How a provider reads requests, and the wording of its answers and errors.
struct IdentityInterface: Sendable {
  let demand: @Sendable (IdentityRequest) -> IdentityDemand
  let answer: @Sendable (TokenGrant, IdentityTokens, IdentityRequest) -> Response
  let refusal: @Sendable (TokenRefusal, IdentityRequest) -> Response
}

/// The client that tokens are issued to, as named in its request.
struct IdentityClient: Sendable {
  var name = IdentityProvider.client
  /// The requested scopes; nil for all that the provider has.
  var scope: [String]?
  /// The audience that it requests.
  var audience: String?

  func mayHave(_ word: String) -> Bool { scope?.contains(word) ?? true }
}

/// The signed tokens of a grant.
struct IdentityTokens: Sendable {
  let access: String
  let identity: String?
  /// The audience of the server's settings.
  let audience: String?
}

/// A request to a provider, with its body parsed as far as possible.
struct IdentityRequest: Sendable {
  /// The purpose of the path.
  enum Place: Sendable {
    case token, login, service
  }

  let place: Place
  let isForm: Bool
  let isJSON: Bool
  /// The fields of a form, or the members of a JSON object as strings.
  let fields: [NameValuePair]
  let document: JSONValue?
  let query: QueryParameters
  /// The operation of an AWS service.
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

  /// The client of the request. A refresh without a scope has that of its login (RFC 6749 §6), which is assumed to have had all
  /// scopes.
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

  /// Returns nil when it is missing or empty.
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

  /// Forbids caching of tokens (RFC 6749 §5.1).
  var uncached: Response { with(HeaderName.cacheControl, "no-store") }
}
