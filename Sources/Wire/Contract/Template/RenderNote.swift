/// What a device logs about a record that was written with a template.
package enum RenderNote: Equatable, Sendable {
  /// An error: the template gave no JSON, and the record was written in the default schema. The position is that of the
  /// character at which reading ended.
  case invalidTemplate(RecordTemplate.Kind, position: Int)
  /// A warning: extras have no key to stand under.
  case extrasAppendedToArray

  /// In the words of the SDK's log.
  package var message: String {
    switch self {
    case .invalidTemplate(.location, let position):
      "locationTemplate error: Invalid value around character \(position)"
    case .invalidTemplate(.geofence, let position):
      "geofenceTemplate error: Invalid value around character \(position)"
    case .extrasAppendedToArray: "Appending #extras to last index of [Array]"
    }
  }
}
