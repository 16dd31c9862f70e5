/// How networks follow one another: a Markov chain in continuous time.
package struct RadioModel: Equatable, Sendable {
  /// One way on: from one network to another, on average after so many seconds if there were no other way.
  package struct Transition: Equatable, Sendable {
    package let from: RadioNetwork
    package let to: RadioNetwork
    package let meanSeconds: Double

    package init(from: RadioNetwork, to: RadioNetwork, meanSeconds: Double) {
      precondition(meanSeconds > 0, "a mean time is more than nothing")
      precondition(from != to, "a transition changes the network")
      self.from = from
      self.to = to
      self.meanSeconds = meanSeconds
    }
  }

  package let start: RadioNetwork
  package let transitions: [Transition]

  package init(start: RadioNetwork, transitions: [Transition] = []) {
    self.start = start
    self.transitions = transitions
  }

  /// Out and about in a town.
  package static let urban = RadioModel(
    start: .lte,
    transitions: [
      Transition(from: .lte, to: .hsdpa, meanSeconds: 360), Transition(from: .lte, to: .none, meanSeconds: 2_700),
      Transition(from: .hsdpa, to: .lte, meanSeconds: 120), Transition(from: .hsdpa, to: .edge, meanSeconds: 1_200),
      Transition(from: .edge, to: .hsdpa, meanSeconds: 180), Transition(from: .none, to: .lte, meanSeconds: 90),
    ])

  /// One network for ever.
  package static func constant(_ network: RadioNetwork) -> RadioModel { RadioModel(start: network) }
}
