/// How a refresh goes wrong on purpose.
enum RefreshBreakage: Equatable {
  /// Answered with this status; the token is not used up.
  case status(Int)
  /// The connection is cut, before or after the rotation is stored.
  case drop(Moment)
  /// The rotation is stored and answered in another shape.
  case shape(Shape)

  enum Moment: String, CaseIterable {
    case before, after
  }

  enum Shape: String, CaseIterable {
    /// `accessToken`, `refreshToken`, `expires`, as registration has it.
    case camelCase
    /// The tokens one object deeper.
    case nested
    /// An identity token beside the access token, as Cognito sends it.
    case idToken
    /// Valid JSON without any token.
    case noTokens
    /// A page of HTML with status 200, as a captive portal sends it.
    case notJSON
  }
}
