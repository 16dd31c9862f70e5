/// What an app may configure, group by group (SDK §2). Names, limits and reading are in `ConfigurationTable`;
/// defaults and units are at the properties.
///
/// A copy costs a few pointers. Reading one property fetches its whole group: code that runs at every fix keeps the
/// group, or what it needs of it, and takes it again when a key of the group is among the changed ones.
package struct Configuration: Equatable, Sendable {
  package let platform: DevicePlatform
  @Shared package var geolocation: GeolocationSettings
  @Shared package var app: AppSettings
  @Shared package var http: HTTPSettings
  @Shared package var persistence: PersistenceSettings
  @Shared package var activity: ActivitySettings
  @Shared package var authorization: AuthorizationSettings
  @Shared package var logger: LoggerSettings

  /// The pace with which `start` begins. Belongs to no group and survives a reset.
  package var isMoving = false

  /// The defaults of the platform. All configurations made here share their groups.
  package init(platform: DevicePlatform) {
    switch platform {
    case .ios: self = .iosDefaults
    case .android: self = .androidDefaults
    }
  }

  private static let iosDefaults = Configuration(defaultsOf: .ios)
  private static let androidDefaults = Configuration(defaultsOf: .android)

  private init(defaultsOf platform: DevicePlatform) {
    self.platform = platform
    geolocation = GeolocationSettings(platform: platform)
    app = AppSettings(platform: platform)
    http = HTTPSettings()
    persistence = PersistenceSettings()
    activity = ActivitySettings(platform: platform)
    authorization = AuthorizationSettings()
    logger = LoggerSettings()
  }

  /// Groups in which the two differ, in the order of the table. Shared ones are not looked into.
  func differingGroups(from other: Configuration) -> [ConfigurationGroup] {
    ConfigurationGroup.allCases.filter { group in
      switch group {
      case .root: isMoving != other.isMoving
      case .geolocation, .filter: _geolocation != other._geolocation
      case .app: _app != other._app
      case .http: _http != other._http
      case .persistence: _persistence != other._persistence
      case .activity: _activity != other._activity
      case .authorization: _authorization != other._authorization
      case .logger: _logger != other._logger
      }
    }
  }
}
