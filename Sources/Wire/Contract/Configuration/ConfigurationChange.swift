/// What a document did to a configuration.
package struct ConfigurationChange: Equatable, Sendable {
  /// Keys with a new value as `group.key`, in the order of the table. Each is an event to which parts of an engine
  /// listen (SDK §1).
  package var changedKeys: [String]
  /// In the order of the document, then what is wrong with the combination.
  package var warnings: [ConfigurationWarning]

  package init(changedKeys: [String], warnings: [ConfigurationWarning]) {
    self.changedKeys = changedKeys
    self.warnings = warnings
  }
}
