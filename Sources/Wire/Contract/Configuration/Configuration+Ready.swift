package import JSON

extension Configuration {
  /// The configuration with which a launch begins (SDK §1), computed aside, so that no state in between is visible.
  /// On the first launch, when nothing is persisted yet, `configure` works on the defaults whatever `reset` says; later
  /// it works on the defaults with the persisted pace, or is ignored when `reset` is false. The token comes last in
  /// every case. Changes are counted from the persisted configuration.
  ///
  /// Nothing but configuration is reset: whether tracking is enabled, mode, odometer, queue and geofences live
  /// elsewhere and stay.
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

  /// The same with a document, in which `reset` and `transistorAuthorizationToken` may stand beside the keys. What is no
  /// object changes nothing.
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

  /// Uploads go to the demo server, with its tokens.
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

/// Keys of the document that makes the SDK ready which are no configuration themselves (SDK §2.1).
package enum ReadyKey {
  package static let reset = "reset"
  package static let transistorAuthorizationToken = "transistorAuthorizationToken"
}
