internal import JSON

extension Configuration {
  /// What is wrong with values that are well formed by themselves, as far as a changed key takes part in it.
  func combinationWarnings(changed: [String]) -> [ConfigurationWarning] {
    var warnings: [ConfigurationWarning] = []
    func check(_ paths: String..., if isWrong: Bool, _ warning: ConfigurationWarning) {
      if isWrong && paths.contains(where: changed.contains) { warnings.append(warning) }
    }
    let (boot, terminate) = ("app.startOnBoot", "app.stopOnTerminate")
    check(boot, terminate, if: app.startOnBoot && app.stopOnTerminate, .withoutEffect(boot, because: terminate))

    let (url, refreshURL) = ("http.url", "authorization.refreshUrl")
    check(url, if: !http.url.isEmpty && http.uploadURL == nil, .unusableURL(url))
    check(url, if: http.url.utf8.contains(UInt8(ascii: " ")), .spaceInURL(url))

    let (stopOnStationary, stopDetection) = ("activity.stopOnStationary", "activity.disableStopDetection")
    let neverStops = activity.stopOnStationary && activity.disableStopDetection
    check(
      stopOnStationary, stopDetection, if: neverStops, .withoutEffect(stopOnStationary, because: stopDetection))

    let sendsNoToken = authorization.refreshUrl != nil && !authorization.sendsRefreshToken
    check(refreshURL, "authorization.refreshPayload", if: sendsNoToken, .refreshTokenNotSent)
    return warnings
  }
}

extension AuthorizationSettings {
  fileprivate var sendsRefreshToken: Bool {
    guard case .object(let payload) = refreshPayload else { return false }
    return payload.members.contains {
      if case .string(let text) = $0.value { text.contains(TokenPlaceholder.refreshToken) } else { false }
    }
  }
}
