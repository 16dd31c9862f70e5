extension AuthorizationSettings {
  /// The value of the `Authorization` header of uploads, which overrides a configured header of that name; nil without a
  /// token (SDK §11.1).
  package var headerValue: String? {
    switch strategy {
    case .jwt: accessToken.map { AuthorizationScheme.bearerPrefix + $0 }
    case .sas: accessToken
    }
  }
}
