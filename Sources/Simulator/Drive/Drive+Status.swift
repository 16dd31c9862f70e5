package import Base
import Contract
import Engine
import Host
import Vocabulary
import World

extension Drive {
  /// The phone in one line.
  package func status(at instant: MonotonicInstant) -> String {
    var parts = [transport == nil ? "at rest" : "\(Drive.fixed(body.speed(at: instant) * 3.6, 0)) km/h"]
    let state = host.engine.state
    if isRunning {
      if host.isHeadless { parts.append("app closed, service on") }
      parts.append(!state.isEnabled ? "tracking off" : state.isMoving ? "moving" : "stationary")
    } else {
      parts.append(isSwitchingOn ? "phone restarts" : "app closed")
    }
    parts.append("odometer \(Drive.fixed(state.odometerMetres / 1_000, 2)) km")
    parts.append("queue \(queuedCount)")
    parts.append(networkName + (inFlight.isEmpty ? "" : " ↑"))
    parts.append("battery \(Int(((battery.level ?? 0) * 100).rounded())) %")
    if isRunning {
      let timers = host.engine.runningTimers.sorted { $0.deadline < $1.deadline }
      parts += timers.prefix(2).map { "\($0.name) \(Drive.minutes(until: $0.deadline, from: instant))" }
    } else if let comesBackAt {
      parts.append("back in \(Drive.minutes(until: comesBackAt, from: instant))")
    }
    return parts.joined(separator: " · ")
  }

  private var networkName: String {
    if isInAirplaneMode { return "airplane mode" }
    if isInTunnel { return "tunnel" }
    return radio == .wifi ? "Wi-Fi" : "mobile"
  }

  private static func minutes(until deadline: MonotonicInstant, from instant: MonotonicInstant) -> String {
    let seconds = max(0, (deadline - instant).wholeMilliseconds + 999) / 1_000
    return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  }

  private static func fixed(_ number: Double, _ digits: Int) -> String {
    guard digits > 0 else { return "\(Int(number.rounded()))" }
    let hundredths = Int((number * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
