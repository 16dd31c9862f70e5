package import Base

/// What goes wrong with a phone.
package struct DeviceFault: Equatable, Sendable {
  package var clockOffset: Nanoseconds?
  package var clockDriftPartsPerMillion: Double?
  package var noFix = false
  package var poisonRecord: PoisonKind?

  package init() {}
}

extension DeviceFault: ScenarioSection {
  static let table = Table<DeviceFault>(
    "device-fault", "What goes wrong with a phone.",
    [
      .optional("clockOffset", \.clockOffset, .offset, "By how much its clock is wrong from then on."),
      .optional(
        "clockDrift", \.clockDriftPartsPerMillion, .number(-1e5...1e5),
        "How fast its clock goes wrong, in parts in a million."),
      .key("noFix", \.noFix, .boolean, "The receiver sees no satellites."),
      .optional("poisonRecord", \.poisonRecord, .choice, "Its next record is one that no server should take."),
    ])
}
