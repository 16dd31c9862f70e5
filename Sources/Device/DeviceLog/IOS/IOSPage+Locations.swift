import Vocabulary

extension IOSPage {
  mutating func writeLocation(_ entry: LogEntry) -> Bool {
    let delegate = "-[TSTrackingService locationManager:didUpdateLocations:]"
    switch entry {
    case .locationUpdates(let isOn):
      if isOn {
        line("🟢", "-[TSTrackingService startUpdatingLocation]", "Location-services: ON")
      } else {
        line("🔴", "-[TSTrackingService stopUpdatingLocation]")
      }
    case .locationRequest(let purpose, let accuracy, let age):
      line("🟢", "-[TSLocationRequestService requestLocation:]", "[\(purpose)] maximumAge: \(LogNumber.fixed(age, 0))")
      box(
        "-[TSSingleLocationRequest trySatisfyWithLocation:now:]",
        "📍🔎 [\(purpose)] desiredAccuracy: \(LogNumber.fixed(accuracy, 1)) m, "
          + "maximumAge: \(LogNumber.fixed(age, 0)) ms")
    case .locationRequestFailed(let purpose, let code):
      line(
        "⚠️", "-[TSLocationRequestService locationManager:didFailWithError:]", "[\(purpose)] error \(code)")
    case .location(let fix, let number, let age):
      if number > 0 { bare("\(number):\(place(fix)) | age: \(age) ms") } else { line("\(place(fix)) | age: \(age) ms") }
    case .locationIgnored(let reason, let delta):
      if reason.isEmpty {
        line("🔵", delegate, "<IGNORED> Δt since last: \(delta) ms")
      } else {
        line("⚠️", delegate, "<IGNORED> Invalid location: \(reason)")
      }
    // Only Android has this mode.
    case .significant: break
    case .filterDecision(let trace): line("📌", "-[TSLocationFilter evaluateWithMetrics:]", trace.text)
    case .distanceFilter(let new, let old):
      line(
        "🔵", delegate, "Updated distanceFilter, new: \(LogNumber.fixed(new, 6)), old: \(LogNumber.fixed(old, 6))")
    case .odometer(let metres, let error):
      line(
        "🔵", "-[TSOdometer incrementOdometer]", "\(LogNumber.fixed(metres, 2))m ±\(LogNumber.fixed(error, 2))m")
    default: return false
    }
    return true
  }
}

extension FilterTrace {
  /// `decision=Accepted reason=OK raw=104.9m …` (SDK §14.2).
  var text: String {
    let metres = [("raw", raw), ("effective", effective), ("smoothed", smoothed), ("cap", cap), ("acc", accuracy)]
      .map { "\($0)=\(LogNumber.fixed($1, 1))m" }.joined(separator: " ")
    return "decision=\(decision.rawValue) reason=\(reason) \(metres) speed=\(LogNumber.fixed(speed, 2)) "
      + "sigma=\(LogNumber.fixed(sigma, 1))m df=\(LogNumber.fixed(distanceFilter, 1))m"
  }
}
