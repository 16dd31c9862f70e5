import Base
import JSON

/// An issuer whose tokens are accepted for uploads beside those of this server.
public struct ForeignIssuerSettings: Sendable {
  /// The source of its keys, a JSON Web Key Set.
  public enum Keys: Sendable {
    /// A file, read again when it changes.
    case file(String)
    /// A function that is called again when a token names an unknown key. `name` is for messages.
    case fetched(name: String, @Sendable () throws(KeyFetchError) -> [UInt8])
  }

  /// The source of its keys.
  public var keys: Keys
  /// The required value of `iss`; nil for any.
  public var issuer: String?
  /// The value that `aud` must contain, or that `client_id` must have when there is no `aud`; nil for any.
  public var audience: String?
  /// The claim that names the device; nil when the request names it, and the token only authorizes the request.
  public var deviceClaim: String? = "sub"

  /// Accepts any issuer and audience, with the device in `sub`.
  public init(_ keys: Keys) { self.keys = keys }
}

/// Why keys could not be fetched.
public struct KeyFetchError: Error, Sendable {
  /// A sentence.
  public let message: String

  /// Creates a failure with this message.
  public init(_ message: String) { self.message = message }
}

/// Checks the tokens of a foreign issuer (RFC 7519 §7.2, RFC 8725 §3).
struct ForeignIssuer: Sendable {
  /// A valid token, apart from its times.
  struct Accepted {
    let device: String?
    let times: TokenTimes
  }

  let settings: ForeignIssuerSettings
  let keys: any KeyFinder

  func verify(_ token: SignedToken) throws(AccessTokenError) -> Accepted {
    guard let algorithm = SignatureAlgorithm(rawValue: token.algorithm) else { throw .wrongAlgorithm }
    let key: SignatureKey
    switch keys.find(token.keyName, for: algorithm) {
    case .found(let found): key = found
    case .otherAlgorithm: throw .wrongAlgorithm
    case .absent: throw .unknownKey
    case nil: throw .keysUnavailable
    }
    if key.isWeak { throw .weakKey }
    guard key.verifies(token.signature, of: token.signed, by: algorithm) else { throw .wrongSignature }
    let claims = try token.claims()
    let times = try TokenTimes(claims)
    if let issuer = settings.issuer, claims["iss"] != .string(issuer) { throw .wrongIssuer }
    if let audience = settings.audience, !isFor(audience, claims) { throw .wrongAudience }
    guard let name = settings.deviceClaim else { return Accepted(device: nil, times: times) }
    guard case .string(let device)? = claims[name], !device.isEmpty else { throw .noDevice }
    return Accepted(device: device, times: times)
  }

  /// Access tokens of Cognito have no `aud` and name the client in `client_id` (docs.aws.amazon.com/cognito, "Verifying JSON
  /// web tokens").
  private func isFor(_ audience: String, _ claims: JSONValue) -> Bool {
    switch claims["aud"] {
    case nil: claims["client_id"] == .string(audience)
    case .array(let list)?: list.contains(.string(audience))
    case let single?: single == .string(audience)
    }
  }
}
