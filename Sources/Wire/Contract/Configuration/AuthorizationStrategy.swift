/// How the access token stands in the `Authorization` header.
package enum AuthorizationStrategy: String, CaseIterable, Sendable {
  /// Behind `Bearer `.
  case jwt = "JWT"
  /// Alone.
  case sas = "SAS"
}
