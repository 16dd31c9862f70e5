package import JSON

/// Group `persistence`: what is written to the queue, how it looks, and how long it stays (SDK §2.6).
package struct PersistenceSettings: Equatable, Sendable {
  /// Empty: the default schema.
  package var locationTemplate = ""
  /// Empty: the default schema.
  package var geofenceTemplate = ""
  package var timestampFormat = TimestampFormat.iso
  package var maxDaysToPersist = 1
  /// -1: no limit; 0: persist nothing.
  package var maxRecordsToPersist = -1
  package var locationsOrderDirection = LocationsOrder.ascending
  package var persistMode = PersistMode.all
  /// Attached to every record when it is written. Always an object.
  package var extras = JSONValue.emptyObject
  package var disableProviderChangeRecord = false
}
