import Contract
import JSON
import Synchronization

/// The configuration in groups. Changes are stored and take effect at once; those of one `batchUpdate` take effect together.
///
/// The value that `BGGeo.ready`, `batchUpdate` and `edit` pass to their function is a draft, which becomes the
/// configuration when the function returns.
public final class Config: Sendable {
  private let box: ConfigurationBox
  private let firstBoot: @Sendable () -> Bool

  init(_ device: Device) {
    firstBoot = { device.isFirstBoot }
    box = ConfigurationBox(
      read: { device.configuration },
      write: { warnings, change in device.edit(warnings: warnings, change) })
  }

  init(_ draft: ConfigurationDraft, isFirstBoot: Bool) {
    firstBoot = { isFirstBoot }
    box = draft.box
  }

  /// How positions are requested and which of them become records.
  public var geolocation: GeolocationConfig { GeolocationConfig(box) }
  /// Tracking over the life of the app.
  public var app: AppConfig { AppConfig(box) }
  /// The destination and the form of uploads.
  public var http: HttpConfig { HttpConfig(box) }
  /// Stored records.
  public var persistence: PersistenceConfig { PersistenceConfig(box) }
  /// The distinction between moving and still.
  public var activity: ActivityConfig { ActivityConfig(box) }
  /// The tokens of uploads.
  public var authorization: AuthorizationConfig { AuthorizationConfig(box) }
  /// The log.
  public var logger: LoggerConfig { LoggerConfig(box) }

  /// The motion state with which `BGGeo.start` begins; `false` by default. A reset does not change it.
  public var isMoving: Bool {
    get { box.value.isMoving }
    set { box.edit { $0.isMoving = newValue } }
  }

  /// Whether nothing was stored before this launch.
  public var isFirstBoot: Bool { firstBoot() }

  /// Applies several changes in one step. They are stored and take effect when the function returns.
  public func batchUpdate(_ change: (Config) -> Void) {
    let base = box.value
    let draft = ConfigurationDraft(base)
    change(Config(draft, isFirstBoot: isFirstBoot))
    let result = draft.result
    box.write(result.warnings) { $0.take(result.configuration, since: base) }
  }

  /// The same as `batchUpdate`.
  public func edit(_ change: (Config) -> Void) { batchUpdate(change) }

  /// Resets everything except `isMoving` to the defaults.
  public func reset() {
    box.edit { configuration in _ = configuration.reset() }
  }

  /// Returns the current groups.
  public func toDictionary() -> [String: Any] { box.value.groups.configurationDictionary }

  /// Returns `toDictionary` as JSON.
  public func toJson() -> String { JSONValue.object(box.value.groups).serializedText }
}

/// The configuration behind the groups of a `Config`: that of a device, or a draft that takes effect as a whole.
final class ConfigurationBox: Sendable {
  private let read: @Sendable () -> Configuration
  let write: @Sendable ([ConfigurationWarning], (inout Configuration) -> Void) -> Void

  init(
    read: @escaping @Sendable () -> Configuration,
    write: @escaping @Sendable ([ConfigurationWarning], (inout Configuration) -> Void) -> Void
  ) {
    self.read = read
    self.write = write
  }

  var value: Configuration { read() }

  func edit(_ change: (inout Configuration) -> Void) { write([], change) }

  func set(_ key: String, _ dictionary: [String: Any], _ change: (inout Configuration, JSONValue) -> Void) {
    guard let object = JSONObject(any: dictionary) else { return warn(key, of: dictionary) }
    edit { change(&$0, .object(object)) }
  }

  func setSchedule(_ entries: [Any]) {
    let texts = entries.compactMap { $0 as? String }
    guard texts.count == entries.count else {
      return warn("app.schedule", expected: "a list of strings", found: "another value")
    }
    edit { $0.app.schedule = texts }
  }

  /// Applies the texts as a document, whose reader validates the object.
  func setAlert(_ texts: [String: Any]) {
    let key = "locationAuthorizationAlert"
    guard let object = JSONObject(any: texts) else { return warn("geolocation.\(key)", of: texts) }
    var result = value
    let warnings = result.apply(.object(["geolocation": .object([key: .object(object)])])).warnings
    write(warnings) { $0.geolocation.locationAuthorizationAlert = result.geolocation.locationAuthorizationAlert }
  }

  var alert: [String: Any] {
    let alert = value.geolocation.locationAuthorizationAlert
    return [
      "titleWhenOff": alert.titleWhenOff, "titleWhenNotEnabled": alert.titleWhenNotEnabled,
      "instructions": alert.instructions, "cancelButton": alert.cancelButton, "settingsButton": alert.settingsButton,
    ]
  }

  private func warn(_ key: String, of dictionary: [String: Any]) {
    let path = UnusableValue.path(in: dictionary).map { "\(key).\($0)" } ?? key
    warn(path, expected: "a value of JSON", found: "what JSON cannot represent")
  }

  private func warn(_ key: String, expected: String, found: String) {
    write([.wrongType(key, expected: expected, found: found)]) { _ in }
  }
}

/// A configuration being edited, with the warnings so far.
final class ConfigurationDraft: Sendable {
  private let state: Mutex<(configuration: Configuration, warnings: [ConfigurationWarning])>

  init(_ configuration: Configuration) { state = Mutex((configuration, [])) }

  var box: ConfigurationBox {
    ConfigurationBox(
      read: { self.state.withLock { $0.configuration } },
      write: { warnings, change in
        self.state.withLock { state in
          state.warnings += warnings
          change(&state.configuration)
        }
      })
  }

  var result: (configuration: Configuration, warnings: [ConfigurationWarning]) { state.withLock { $0 } }
}

extension JSONValue {
  /// The members; none unless it is an object.
  var dictionary: [String: Any] {
    if case .object(let object) = self { object.dictionary } else { [:] }
  }
}

extension Int {
  /// Clamps the number to the range of the type.
  init(nearest number: Double) {
    self = Int(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
  }
}
