import Base
import Contract
import Scenario

/// The access token of a device, and whether its time is over: a refusal is then a part of its life (SDK §11.2.1).
struct TokenWatch {
  private var text: String?
  /// Nil: the server has not said.
  private var end: WallInstant?
  private var isTakenBack = false
  private var wasAccepted = false

  /// Servers allow so much between two clocks.
  private static let tolerance = Nanoseconds.seconds(90)

  /// Whether it is a new one.
  @discardableResult
  mutating func learn(_ authorization: AuthorizationSettings, at wall: WallInstant) -> Bool {
    guard let text = authorization.accessToken, text != self.text else { return false }
    self = TokenWatch()
    self.text = text
    end = TokenExpiry.instant(of: authorization.expires, setAt: wall)
    return true
  }

  /// A fault of the run expires or revokes it.
  mutating func takeBack() { isTakenBack = true }

  /// An upload was accepted with it.
  mutating func accept() { wasAccepted = true }

  func state(at wall: WallInstant) -> TokenState { text == nil ? .none : isOver(at: wall) ? .expired : .valid }

  /// A refusal may end its life: the server may take it back at any time.
  var isThere: Bool { text != nil }

  /// A token whose end is not known was good once.
  func isOver(at wall: WallInstant) -> Bool {
    guard text != nil else { return false }
    if isTakenBack { return true }
    guard let end else { return wasAccepted }
    return wall.milliseconds(since: end) > -TokenWatch.tolerance.wholeMilliseconds
  }
}
