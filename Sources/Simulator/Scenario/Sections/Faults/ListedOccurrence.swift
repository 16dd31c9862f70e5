package import Base

/// One time that a fault befalls one device, written out: it comes wherever the device is then.
package struct ListedOccurrence: Equatable, Sendable {
  package var fleet = ""
  /// The place of the device in its fleet.
  package var member = 0
  /// Since the run began.
  package var start = Nanoseconds.zero
  /// Which one it would be if the fault came by itself: its own chances follow from it.
  package var number = 0

  package init() {}

  package init(fleet: String, member: Int, start: Nanoseconds, number: Int) {
    (self.fleet, self.member, self.start, self.number) = (fleet, member, start, number)
  }
}

extension ListedOccurrence: ScenarioSection {
  static let table = Table<ListedOccurrence>(
    "occurrence", "One time that a fault befalls one device, wherever it is then; plans of failures are made of them.",
    [
      .required("fleet", \.fleet, .name(in: .fleets), "The fleet of the device."),
      .required("member", \.member, .count, "Its place in the fleet, counted from 0."),
      .required("at", \.start, .duration, "When it begins, since the run began."),
      .key("number", \.number, .count, "Which of the fault's occurrences it is for its device: chances go by it."),
    ])
}
