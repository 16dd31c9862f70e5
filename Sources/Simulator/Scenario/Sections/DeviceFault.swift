package import Base

/// What goes wrong with a phone.
package struct DeviceFault: Equatable, Sendable {
  package var clockOffset: Nanoseconds?
  package var clockDriftPartsPerMillion: Double?
  package var noFix = false
  package var poisonRecord: PoisonKind?

  package init() {}
}

extension DeviceFault: FaultActionSection {
  /// A clock that is wrong may stay so, and poison waits for an app that runs.
  var span: FaultSpan { noFix ? .state : .open }
  var hidesPositions: Bool { noFix }

  static let table = Table<DeviceFault>(
    "device-fault", "A fault of the phone.",
    [
      .optional("clockOffset", \.clockOffset, .offset, "Offset of the device clock from then on."),
      .optional(
        "clockDrift", \.clockDriftPartsPerMillion, .number(-1e5...1e5),
        "Drift of the device clock, in parts per million."),
      .key("noFix", \.noFix, .boolean, "The receiver sees no satellites."),
      .optional("poisonRecord", \.poisonRecord, .choice, "The next record is invalid in this way."),
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

extension LifecycleFault: FaultActionSection {
  var span: FaultSpan { .event }
  /// `relaunchAfter` alone does nothing.
  var isEmpty: Bool { !terminate && !reboot }

  static let table = Table<LifecycleFault>(
    "lifecycle-fault", "A fault of the app process.",
    [
      .key("terminate", \.terminate, .boolean, "The user closes the app, as by a swipe."),
      .key("reboot", \.reboot, .boolean, "The phone is switched off and on again."),
      .optional("relaunchAfter", \.relaunchAfter, .distribution(InSeconds.self), "How long until it runs again."),
    ])
}

/// What goes wrong with a device's queue.
package struct StorageFault: Equatable, Sendable {
  package var error: StorageError?
  package var crash: CrashMoment?

  package init() {}
}

extension StorageFault: FaultActionSection {
  /// A crash waits for its moment.
  var span: FaultSpan { error != nil ? .state : .open }
  var disturbsStore: Bool { true }

  static let table = Table<StorageFault>(
    "storage-fault", "A fault of the device's queue.",
    [
      .optional("error", \.error, .choice, "The SQLite error that every write returns."),
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
