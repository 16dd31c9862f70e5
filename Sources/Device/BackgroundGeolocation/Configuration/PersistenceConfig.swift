import Contract

/// What is stored until it is uploaded, how it looks, and how long it stays.
public final class PersistenceConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// The JSON of a record with tags as `<%= latitude %>`; empty, the default, for the SDK's own form. One that gives
  /// no JSON is an error in the log, and the record has the SDK's form.
  public var locationTemplate: String {
    get { box.value.persistence.locationTemplate }
    set { box.edit { $0.persistence.locationTemplate = newValue } }
  }

  /// The same for records of geofences.
  public var geofenceTemplate: String {
    get { box.value.persistence.geofenceTemplate }
    set { box.edit { $0.persistence.geofenceTemplate = newValue } }
  }

  /// How times stand in a record; `.iso` by default.
  public var timestampFormat: TimestampFormat {
    get { TimestampFormat(box.value.persistence.timestampFormat) }
    set { box.edit { $0.persistence.timestampFormat = newValue.contract } }
  }

  /// Days after which a record that was never uploaded is deleted, 1 by default; 0 or less for never.
  public var maxDaysToPersist: Int {
    get { box.value.persistence.maxDaysToPersist }
    set { box.edit { $0.persistence.maxDaysToPersist = newValue } }
  }

  /// The most records that wait, the oldest make room; -1, the default, for no limit, 0 to store nothing at all.
  public var maxRecordsToPersist: Int {
    get { box.value.persistence.maxRecordsToPersist }
    set { box.edit { $0.persistence.maxRecordsToPersist = newValue } }
  }

  /// In which order records are read and uploaded; `.ascending` by default.
  public var locationsOrderDirection: LocationsOrderDirection {
    get { LocationsOrderDirection(box.value.persistence.locationsOrderDirection) }
    set { box.edit { $0.persistence.locationsOrderDirection = newValue.contract } }
  }

  /// Which records are stored; `.all` by default.
  public var persistMode: PersistMode {
    get { PersistMode(box.value.persistence.persistMode) }
    set { box.edit { $0.persistence.persistMode = newValue.contract } }
  }

  /// Put into every record when it is made. A value that JSON does not have leaves the old ones and a warning in the
  /// log.
  public var extras: [String: Any] {
    get { box.value.persistence.extras.dictionary }
    set { box.set("persistence.extras", newValue) { $0.persistence.extras = $1 } }
  }

  /// Android only: whether a change of permissions makes no record by itself; `false` by default.
  public var disableProviderChangeRecord: Bool {
    get { box.value.persistence.disableProviderChangeRecord }
    set { box.edit { $0.persistence.disableProviderChangeRecord = newValue } }
  }
}
