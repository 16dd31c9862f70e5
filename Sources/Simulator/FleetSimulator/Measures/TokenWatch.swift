import Base
import Contract
import Scenario

/// The access token of a device, and whether it has expired; a rejection is then ordinary (SDK §11.2.1).
struct TokenWatch {
  private var text: String?
  /// Nil: the server has not reported it.
  private var end: WallInstant?
  private var isTakenBack = false
  private var wasAccepted = false

  /// The clock skew that servers tolerate.
  private static let tolerance = Nanoseconds.seconds(90)

  /// Notes the token, and returns whether it is a new one.
  @discardableResult
  mutating func learn(_ authorization: AuthorizationSettings, at wall: WallInstant) -> Bool {
    guard let text = authorization.accessToken, text != self.text else { return false }
    self = TokenWatch()
    self.text = text
    end = TokenExpiry.instant(of: authorization.expires, setAt: wall)
    return true
  }

  /// Notes that a fault of the run expires or revokes it.
  mutating func takeBack() { isTakenBack = true }

  /// Notes an upload that was accepted with it.
  mutating func accept() { wasAccepted = true }

  func state(at wall: WallInstant) -> TokenState { text == nil ? .none : isOver(at: wall) ? .expired : .valid }

  /// Whether there is a token, which a rejection may end: the server may revoke it at any time.
  var isThere: Bool { text != nil }

  /// Reports whether it has expired. A token with an unknown expiry counts as expired once it was accepted.
  func isOver(at wall: WallInstant) -> Bool {
    guard text != nil else { return false }
    if isTakenBack { return true }
    guard let end else { return wasAccepted }
    return wall.milliseconds(since: end) > -TokenWatch.tolerance.wholeMilliseconds
  }
}
