package import Base

/// A network that changes from one link to the next by chance, each device on its own.
package struct ChangingNetwork: Equatable, Sendable {
  /// A change that may come, and how long it takes on average.
  package typealias Changes = [Named<Nanoseconds>]

  package var changes: [Named<Changes>] = []
  package var start = ""

  package init() {}
}

extension ChangingNetwork: ScenarioSection {
  static let table = Table<ChangingNetwork>(
    "markov", "A network that changes from one link to the next by chance, each device on its own.",
    [
      .required("markov", \.changes, .markov, "From each link, the mean time until a change to each other one."),
      .required("start", \.start, .name(in: .networks), "The link with which every device begins."),
    ])
}

extension Form where Value == [Named<ChangingNetwork.Changes>] {
  static var markov: Form {
    let chain = map(of: Form<ChangingNetwork.Changes>.map(of: .duration))
    return Form(chain.shape) { value, reading in
      let known = reading.names.names(in: .networks)
      guard let states = chain.read(value, &reading) else { return nil }
      for state in states {
        for name in [(state.name, state.position)] + state.value.map({ ($0.name, $0.position) })
        where !known.contains(name.0) {
          reading.refuse(.undeclared, name.1, word: name.0, as: "network", known: known)
        }
        for change in state.value where change.value <= .zero {
          reading.refuse(.outOfRange, change.position, "a change after no time", remedy: "write a longer time")
        }
        for change in state.value where !states.contains(where: { $0.name == change.name }) {
          reading.refuse(
            .contradiction, change.position, "'\(change.name)' has no way out",
            remedy: "add \(change.name.asPathStep) with its changes beside \(state.name.asPathStep)")
        }
      }
      return states
    }
  }
}
