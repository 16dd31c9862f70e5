/// The names under which newer versions of the SDK have its types.
extension BGGeo {
  /// As in this module.
  public typealias Geofence = BackgroundGeolocation.Geofence
  /// As in this module.
  public typealias LocationEvent = BackgroundGeolocation.LocationEvent
  /// As in this module.
  public typealias GeofenceEvent = BackgroundGeolocation.GeofenceEvent
  /// As in this module.
  public typealias HttpEvent = BackgroundGeolocation.HttpEvent
  /// As in this module.
  public typealias EventSubscription = BackgroundGeolocation.EventSubscription
  /// As in this module.
  public typealias State = BackgroundGeolocation.State
  /// As in this module.
  public typealias LogLevel = BackgroundGeolocation.LogLevel
  /// As in this module.
  public typealias PersistMode = BackgroundGeolocation.PersistMode
  /// As in this module.
  public typealias TrackingMode = BackgroundGeolocation.TrackingMode
  /// As in this module.
  public typealias TransistorToken = BackgroundGeolocation.TransistorToken
  /// As in this module.
  public typealias TransistorAuthorizationService = BackgroundGeolocation.TransistorAuthorizationService
}
