import Base

/// A refresh that waits for the store.
struct RefreshRotation {
  let successor: RefreshToken
  /// A hash of the token that was shown.
  let presented: UUID128
  /// What goes wrong with the answer on purpose.
  let breakage: RefreshBreakage?
}
