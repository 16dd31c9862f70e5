package import Base

/// An act of a person on a run in progress.
package enum RunAct: Equatable, Sendable {
  /// Adds phones to a fleet. Removed ones return first.
  case addPhones(Int, fleet: String)
  /// Removes phones from a fleet: the last to arrive leave first, after they have uploaded their queues.
  case removePhones(Int, fleet: String)
  /// Multiplies the activity of a fleet from now on: the rate of trips for executors with trips, the number of phones for others.
  case changeRate(Double, fleet: String)
  case dropNetwork(NetworkDrop)
  /// Invalidates access tokens; nil: those of all fleets.
  case expireTokens(fleet: String?)
  case killApps(AppKill)
  /// Stops the time, in virtual, lockstep and accelerated runs.
  case pause
  case resume
  /// Ends the drives; the queues drain.
  case stop
  /// Ends the run at once, without draining.
  case abort

  /// Changes the network of phones in an area for a while.
  package struct NetworkDrop: Equatable, Sendable {
    /// The name of the other network.
    package var network = "none"
    package var duration: Nanoseconds
    /// Nil: everywhere.
    package var place: Polygon?
    /// Nil: all fleets.
    package var fleet: String?

    package init(for duration: Nanoseconds, in place: Polygon? = nil, fleet: String? = nil) {
      (self.duration, self.place, self.fleet) = (duration, place, fleet)
    }
  }

  /// Users close their apps, and reopen them according to the fleet's lifecycle.
  package struct AppKill: Equatable, Sendable {
    /// The number of phones.
    package enum Amount: Equatable, Sendable {
      /// The probability for each phone.
      case share(Double)
      /// A number of present phones, drawn from the seed.
      case count(Int)
    }

    package var amount: Amount
    /// Nil: all fleets.
    package var fleet: String?

    package init(_ amount: Amount, fleet: String? = nil) { (self.amount, self.fleet) = (amount, fleet) }
  }

  /// The key in JSON.
  package var name: String {
    switch self {
    case .addPhones: "addPhones"
    case .removePhones: "removePhones"
    case .changeRate: "changeRate"
    case .dropNetwork: "dropNetwork"
    case .expireTokens: "expireTokens"
    case .killApps: "killApps"
    case .pause: "pause"
    case .resume: "resume"
    case .stop: "stop"
    case .abort: "abort"
    }
  }

  package static let names = [
    "addPhones", "removePhones", "changeRate", "dropNetwork", "expireTokens", "killApps", "pause", "resume", "stop",
    "abort",
  ]

  /// The act in one line.
  package var text: String {
    switch self {
    case .addPhones(let count, let fleet): "add \(count) phones to \(fleet)"
    case .removePhones(let count, let fleet): "remove \(count) phones from \(fleet)"
    case .changeRate(let factor, let fleet): "multiply the rate of \(fleet) by \(RunAct.number(factor))"
    case .dropNetwork(let drop):
      "switch phones" + (drop.fleet.map { " of \($0)" } ?? "") + (drop.place == nil ? "" : " in an area")
        + " to network \(drop.network) for \(RunAct.number(drop.duration.seconds)) s"
    case .expireTokens(let fleet): "expire access tokens" + (fleet.map { " of \($0)" } ?? "")
    case .killApps(let kill):
      switch kill.amount {
      case .share(let share):
        "close apps" + (kill.fleet.map { " of \($0)" } ?? "")
          + ", each with a probability of \(RunAct.number(share * 100)) %"
      case .count(let count): "close \(count) apps" + (kill.fleet.map { " of \($0)" } ?? "")
      }
    case .pause, .resume, .stop, .abort: name
    }
  }

  /// Formats without an unnecessary fraction.
  private static func number(_ value: Double) -> String {
    let rounded = (value * 1_000).rounded() / 1_000
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
  }
}

/// Why an act is rejected: the path, the mistake, and a remedy.
package struct RunActError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path, as `addPhones.fleet`; empty for the act as a whole.
  package let place: String
  package let reason: String
  package let remedy: String

  package init(_ place: String, _ reason: String, remedy: String) {
    (self.place, self.reason, self.remedy) = (place, reason, remedy)
  }

  package var description: String { (place.isEmpty ? "" : place + ": ") + reason + "; " + remedy }
}
