import Contract
import JSON

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
  public func toDictionary() -> [String: Any] { box.value.groups.dictionary }

  /// `toDictionary` as JSON.
  public func toJson() -> String { String(decoding: JSONValue.object(box.value.groups).text, as: UTF8.self) }
}
