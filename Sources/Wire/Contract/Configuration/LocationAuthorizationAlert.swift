/// The texts of the iOS alert that asks for more permission. An app that sets them gives all five.
package struct LocationAuthorizationAlert: Equatable, Sendable {
  package var titleWhenOff = "Location services are off"
  package var titleWhenNotEnabled = "Background location is not enabled"
  package var instructions =
    "To use background location, you must enable '{locationAuthorizationRequest}' in the Location Services settings"
  package var cancelButton = "Cancel"
  package var settingsButton = "Settings"
}
