package import JSON

extension Configuration {
  /// Returns the configuration at the beginning of a launch (SDK §1), computed separately, so that no intermediate state is
  /// visible. On the first launch, when nothing is persisted yet, `configure` is applied to the defaults whatever `reset` says;
  /// later it is applied to the defaults with the persisted pace, or ignored when `reset` is false. The token is always applied
  /// last. Changes are relative to the persisted configuration.
  ///
  /// Only the configuration is reset: whether tracking is enabled, mode, odometer, queue and geofences are stored elsewhere and
  /// stay.
  package static func ready(
    platform: DevicePlatform, persisted: Configuration?, reset: Bool = true, token: TransistorToken? = nil,
    configure: (inout Configuration) -> Void
  ) -> (configuration: Configuration, change: ConfigurationChange) {
    ready(platform: platform, persisted: persisted, reset: reset, token: token) { draft in
      let defaults = draft
      configure(&draft)
      return draft.clamp(since: defaults)
    }
  }

  /// Like the above for a document that may contain `reset` and `transistorAuthorizationToken` beside the keys. A value that is
  /// not an object changes nothing.
  package static func ready(
    platform: DevicePlatform, persisted: Configuration?, document: JSONValue
  ) -> (configuration: Configuration, change: ConfigurationChange) {
    guard case .object(var keys) = document else {
      let warning = ConfigurationWarning.notAnObject(found: document.kindName)
      return (
        persisted ?? Configuration(platform: platform), ConfigurationChange(changedKeys: [], warnings: [warning])
      )
    }
    var warnings: [ConfigurationWarning] = []
    var reset = true
    if let value = keys[ReadyKey.reset] {
      reset = value.coercedBool ?? true
      if value.coercedBool == nil {
        warnings.append(.wrongType(ReadyKey.reset, expected: "true or false", found: value.kindName))
      }
    }
    var token: TransistorToken?
    if let value = keys[ReadyKey.transistorAuthorizationToken], value != .null {
      do throws(FieldError) {
        token = try TransistorToken(value)
      } catch {
        warnings.append(.unusableToken(error))
      }
    }
    keys[ReadyKey.reset] = nil
    keys[ReadyKey.transistorAuthorizationToken] = nil
    var result = ready(platform: platform, persisted: persisted, reset: reset, token: token) { draft in
      let applied = ConfigurationDocument(applying: keys, to: draft)
      draft = applied.configuration
      return applied.warnings
    }
    result.change.warnings = warnings + result.change.warnings
    return result
  }

  private static func ready(
    platform: DevicePlatform, persisted: Configuration?, reset: Bool, token: TransistorToken?,
    configure: (inout Configuration) -> [ConfigurationWarning]
  ) -> (configuration: Configuration, change: ConfigurationChange) {
    var configuration = persisted ?? Configuration(platform: platform)
    var draft = configuration
    var warnings: [ConfigurationWarning] = []
    if persisted == nil || reset {
      draft = draft.defaultsKeepingPace
      warnings = configure(&draft)
    }
    if let token { draft.use(token) }
    let change = configuration.settle(draft, warnings: warnings)
    return (configuration, change)
  }

  /// Directs uploads to the demo server, with its tokens.
  private mutating func use(_ token: TransistorToken) {
    http.url = token.apiURL
    authorization.strategy = .jwt
    authorization.accessToken = token.accessToken
    authorization.refreshToken = token.refreshToken
    authorization.refreshUrl = token.refreshURL
    authorization.refreshPayload = .object([
      TokenKey.refreshedRefreshToken: .string(TokenPlaceholder.refreshToken)
    ])
    authorization.expires = token.expires
  }
}

/// Keys of the `ready` document that are not part of the configuration (SDK §2.1).
package enum ReadyKey {
  package static let reset = "reset"
  package static let transistorAuthorizationToken = "transistorAuthorizationToken"
}
