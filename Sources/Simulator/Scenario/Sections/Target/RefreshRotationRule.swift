/// How often a refresh token serves.
package enum RefreshRotationRule: String, CaseIterable, Sendable {
  case singleUse = "single-use"
  case reusable
}
