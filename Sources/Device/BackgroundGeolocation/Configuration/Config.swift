import Contract
import JSON
import Synchronization

/// What an app may configure, group by group. Changes are kept at once and take effect at once; several of them in one
/// `batchUpdate` take effect together.
///
/// The value that `BGGeo.ready`, `batchUpdate` and `edit` hand to their function is a draft: what it says becomes the
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

  /// How positions are asked for and which of them become records.
  public var geolocation: GeolocationConfig { GeolocationConfig(box) }
  /// How tracking lives with the app.
  public var app: AppConfig { AppConfig(box) }
  /// Where records go.
  public var http: HttpConfig { HttpConfig(box) }
  /// What is stored until then.
  public var persistence: PersistenceConfig { PersistenceConfig(box) }
  /// When the device counts as moving.
  public var activity: ActivityConfig { ActivityConfig(box) }
  /// The token of uploads.
  public var authorization: AuthorizationConfig { AuthorizationConfig(box) }
  /// What the log keeps.
  public var logger: LoggerConfig { LoggerConfig(box) }

  /// The pace with which `BGGeo.start` begins; `false` by default. A reset leaves it.
  public var isMoving: Bool {
    get { box.value.isMoving }
    set { box.edit { $0.isMoving = newValue } }
  }

  /// Whether nothing was kept before this launch.
  public var isFirstBoot: Bool { firstBoot() }

  /// Several changes in one step. What was changed is kept and takes effect when the function returns.
  public func batchUpdate(_ change: (Config) -> Void) {
    let base = box.value
    let draft = ConfigurationDraft(base)
    change(Config(draft, isFirstBoot: isFirstBoot))
    let result = draft.result
    box.write(result.warnings) { $0.take(result.configuration, since: base) }
  }

  /// The same as `batchUpdate`.
  public func edit(_ change: (Config) -> Void) { batchUpdate(change) }

  /// Everything back to the defaults, except `isMoving`.
  public func reset() {
    box.edit { configuration in _ = configuration.reset() }
  }

  /// The groups as they are now.
  public func toDictionary() -> [String: Any] { box.value.groups.configurationDictionary }

  /// `toDictionary` as JSON.
  public func toJson() -> String { String(decoding: JSONValue.object(box.value.groups).text, as: UTF8.self) }
}

/// The configuration that the groups of a `Config` read and change: that of a device, or a draft that takes effect as a
/// whole.
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

  /// By the way of a document, which knows what belongs to the object.
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

/// A configuration in the making, with what went wrong on the way.
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
  /// Without members for anything but an object.
  var dictionary: [String: Any] {
    if case .object(let object) = self { object.dictionary } else { [:] }
  }
}

extension Int {
  /// The limits of the type for numbers beyond them.
  init(nearest number: Double) {
    self = Int(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
  }
}
