import FoundationEssentials

extension LinuxPlatform {
  /// Drives the route: each position is pushed when its time has come, measured from the first one, and says that it
  /// was taken then. On a clock of the program, that clock is advanced; on the machine's, it takes as long as the route
  /// took, divided by `speed`, which must be more than 0. Ends early when the task is cancelled.
  public func replay(_ route: Route, speed: Double = 1) async {
    precondition(speed > 0, "a route is driven forwards")
    guard let first = route.locations.first else { return }
    let start = clock.now
    for location in route.locations {
      let due = start.addingTimeInterval(location.timestamp.timeIntervalSince(first.timestamp) / speed)
      await clock.wait(until: due)
      if Task.isCancelled { return }
      push(location.taken(at: clock.now))
    }
  }
}

extension CLLocation {
  fileprivate func taken(at date: Date) -> CLLocation {
    CLLocation(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
      speedAccuracy: speedAccuracy, ellipsoidalAltitude: ellipsoidalAltitude, timestamp: date)
  }
}
