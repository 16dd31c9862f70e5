/// Which use of positions the user has allowed.
public enum CLAuthorizationStatus: Int, CaseIterable, Sendable {
  /// The user was not asked yet.
  case notDetermined = 0
  /// The app may not use positions, and the user cannot change that.
  case restricted = 1
  case denied = 2
  /// Also in the background.
  case authorizedAlways = 3
  /// Only while the app is in use.
  case authorizedWhenInUse = 4
}

/// Whether an app may know the accurate place.
public enum CLAccuracyAuthorization: Int, CaseIterable, Sendable {
  case fullAccuracy = 0
  /// Positions are off by kilometres.
  case reducedAccuracy = 1
}

/// What iOS is told that the positions are for.
public enum CLActivityType: Int, CaseIterable, Sendable {
  case other = 1
  case automotiveNavigation = 2
  case fitness = 3
  case otherNavigation = 4
  case airborne = 5
}
