/// Keys around commands.
package enum CommandKey {
  /// Top-level key of an answer in which a device finds its commands.
  package static let backgroundGeolocation = "background_geolocation"
  /// Key of the request with which commands are queued.
  package static let commands = "commands"
}
