internal import JSON

/// Which invariants are checked.
package struct InvariantSelection: Equatable, Sendable {
  package var enabled = Invariant.allCases
  package var disabled: [Invariant] = []
  package var onViolation = ViolationResponse.shrink

  package init() {}

  /// Those to check, in their order.
  package var checked: [Invariant] { enabled.filter { !disabled.contains($0) } }
}

extension InvariantSelection: ScenarioSection {
  static let table = Table<InvariantSelection>(
    "invariants", "Which invariants are checked.",
    [
      .key("enable", \.enabled, .invariants, "`all`, or a list."),
      .key("disable", \.disabled, .list(of: .choice), "Some of them not."),
      .key("onViolation", \.onViolation, .choice, "What follows the first violation."),
    ])
}

extension Form where Value == [Invariant] {
  fileprivate static var invariants: Form {
    let some = list(of: .choice)
    return Form(
      .anyOf([.choice(["all"]), some.shape]), show: { $0 == Invariant.allCases ? .string("all") : nil }
    ) { value, reading in
      if case .string("all") = value.content { return Invariant.allCases }
      guard case .array = value.content else {
        reading.refuse(value, expected: "\"all\" or a list of invariants")
        return nil
      }
      return some.read(value, &reading)
    }
  }
}
