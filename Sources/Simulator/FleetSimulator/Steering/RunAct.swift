package import Base

/// What a person can do to a run while it goes on.
package enum RunAct: Equatable, Sendable {
  /// More phones in a fleet. Those that were removed come back first.
  case addPhones(Int, fleet: String)
  /// Fewer phones in a fleet: the last to come leave first, after they have delivered what they have.
  case removePhones(Int, fleet: String)
  /// From now on a fleet does so many times what it would do: for executors with trips the trips in a unit of time, for
  /// the others the number of phones.
  case changeRate(Double, fleet: String)
  case dropNetwork(NetworkDrop)
  /// Access tokens are worth nothing any more; of all fleets without a name.
  case expireTokens(fleet: String?)
  case killApps(AppKill)
  /// Time stands still, in virtual, lockstep and accelerated runs.
  case pause
  case resume
  /// The drives end; the queues drain.
  case stop
  /// The run ends at once, and nothing drains.
  case abort

  /// Phones in an area have another network for a while.
  package struct NetworkDrop: Equatable, Sendable {
    /// The name of the network that they have meanwhile.
    package var network = "none"
    package var duration: Nanoseconds
    /// Nil: everywhere.
    package var place: Polygon?
    /// Nil: of all fleets.
    package var fleet: String?

    package init(for duration: Nanoseconds, in place: Polygon? = nil, fleet: String? = nil) {
      (self.duration, self.place, self.fleet) = (duration, place, fleet)
    }
  }

  /// Users close their apps, and open them again as the fleet's lifecycle says.
  package struct AppKill: Equatable, Sendable {
    /// How many of the phones.
    package enum Amount: Equatable, Sendable {
      /// The probability for each phone.
      case share(Double)
      /// Of those that are present, drawn from the seed.
      case count(Int)
    }

    package var amount: Amount
    /// Nil: of all fleets.
    package var fleet: String?

    package init(_ amount: Amount, fleet: String? = nil) { (self.amount, self.fleet) = (amount, fleet) }
  }

  /// As JSON has it.
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

  /// In a line.
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

  /// Without a fraction that says nothing.
  private static func number(_ value: Double) -> String {
    let rounded = (value * 1_000).rounded() / 1_000
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
  }
}

/// Why an act is not done: the place in it, what is wrong there, and what to do about it.
package struct RunActError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `addPhones.fleet`; empty for the act as a whole.
  package let place: String
  package let reason: String
  package let remedy: String

  package init(_ place: String, _ reason: String, remedy: String) {
    (self.place, self.reason, self.remedy) = (place, reason, remedy)
  }

  package var description: String { (place.isEmpty ? "" : place + ": ") + reason + "; " + remedy }
}
