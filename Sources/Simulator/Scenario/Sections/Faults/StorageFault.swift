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
