/// The keys of the access tokens that a server signs or accepts.
struct TokenKeys: Sendable {
  /// The key of its own tokens.
  let own: [UInt8]
  /// Signs in the name of the provider of `--identity`; nil without one.
  var issuer: IdentityIssuer?
  /// The keys of a foreign issuer; nil without one.
  var foreign: (any KeyFinder)?

  func codec(_ configuration: ServerConfiguration) -> AccessTokenCodec {
    AccessTokenCodec(key: own, clockSkewAllowedMilliseconds: configuration.leewayMilliseconds)
  }
}

extension ServerConfiguration {
  var leewayMilliseconds: Int64 { Int64(clockSkewSeconds) * 1_000 }
}
