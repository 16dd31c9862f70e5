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

/// What is wrong with a record that no server should take.
package enum PoisonKind: String, CaseIterable, Sendable {
  case missingCoords = "missing-coords"
  case textLatitude = "text-latitude"
  case oversizedExtras = "oversized-extras"
}

/// What is done to an app.
package struct LifecycleFault: Equatable, Sendable {
  package var terminate = false
  package var reboot = false
  /// In seconds; nil: until its user opens it again, as the fleet's lifecycle says.
  package var relaunchAfter: Distribution?

  package init() {}
}

extension LifecycleFault: ScenarioSection {
  static let table = Table<LifecycleFault>(
    "lifecycle-fault", "What is done to an app.",
    [
      .key("terminate", \.terminate, .boolean, "Its user closes it, as by a swipe."),
      .key("reboot", \.reboot, .boolean, "The phone goes off, and on again."),
      .optional("relaunchAfter", \.relaunchAfter, .distribution(InSeconds.self), "How long until it runs again."),
    ])
}

/// What goes wrong with a device's queue.
package struct StorageFault: Equatable, Sendable {
  package var error: StorageError?
  package var crash: CrashMoment?

  package init() {}
}

extension StorageFault: ScenarioSection {
  static let table = Table<StorageFault>(
    "storage-fault", "What goes wrong with a device's queue.",
    [
      .optional("error", \.error, .choice, "What SQLite says to every write."),
      .optional("crash", \.crash, .choice, "Between which two steps the app dies."),
    ])
}

/// What SQLite says on the device.
package enum StorageError: String, CaseIterable, Sendable {
  case full = "SQLITE_FULL"
  case io = "SQLITE_IOERR"
  case busy = "SQLITE_BUSY"
  case corrupt = "SQLITE_CORRUPT"
  case readOnly = "SQLITE_READONLY"
}

/// Between which two steps the app dies.
package enum CrashMoment: String, CaseIterable, Sendable {
  case beforeInsertCommits = "before-insert-commits"
  case betweenSendAndAnswer = "between-send-and-answer"
  case betweenAnswerAndDelete = "between-2xx-and-delete"
}
