/// What listeners are told. Each subscription lives as long as the value that is returned; what nobody keeps ends at
/// once.
extension BGGeo {
  /// Every location that is recorded, and the samples on the way to one, whose `sample` is true.
  @discardableResult
  public func onLocation(_ callback: @escaping (LocationEvent) -> Void) -> EventSubscription {
    device.listeners.location.subscribe(callback)
  }

  /// The same, and why a position could not be had.
  @discardableResult
  public func onLocation(
    _ callback: @escaping (LocationEvent) -> Void, failure: @escaping (LocationError) -> Void
  ) -> EventSubscription {
    let locations = device.listeners.location.subscribe(callback)
    let errors = device.listeners.locationError.subscribe(failure)
    return EventSubscription {
      locations.remove()
      errors.remove()
    }
  }

  /// The device began to move, or came to rest: `isMoving` says which. It is stored and uploaded, whatever the
  /// threshold.
  @discardableResult
  public func onMotionChange(_ callback: @escaping (LocationEvent) -> Void) -> EventSubscription {
    device.listeners.motionChange.subscribe(callback)
  }

  /// The motion sensors report another activity.
  @discardableResult
  public func onActivityChange(_ callback: @escaping (ActivityChangeEvent) -> Void) -> EventSubscription {
    device.listeners.activityChange.subscribe(callback)
  }

  /// Permissions or location services have changed; also once after `ready`.
  @discardableResult
  public func onProviderChange(_ callback: @escaping (ProviderChangeEvent) -> Void) -> EventSubscription {
    device.listeners.providerChange.subscribe(callback)
  }

  /// The device crossed the boundary of a geofence, or stayed inside for its loitering delay.
  @discardableResult
  public func onGeofence(_ callback: @escaping (GeofenceEvent) -> Void) -> EventSubscription {
    device.listeners.geofence.subscribe(callback)
  }

  /// Other geofences than before are watched. Both lists are empty when all were removed.
  @discardableResult
  public func onGeofencesChange(_ callback: @escaping (GeofencesChangeEvent) -> Void) -> EventSubscription {
    device.listeners.geofencesChange.subscribe(callback)
  }

  /// The device is at rest, and `AppConfig.heartbeatInterval` has passed.
  @discardableResult
  public func onHeartbeat(_ callback: @escaping (HeartbeatEvent) -> Void) -> EventSubscription {
    device.listeners.heartbeat.subscribe(callback)
  }

  /// An upload request has ended, well or badly.
  @discardableResult
  public func onHttp(_ callback: @escaping (HttpEvent) -> Void) -> EventSubscription {
    device.listeners.http.subscribe(callback)
  }

  /// A request for new tokens has ended, well or badly.
  @discardableResult
  public func onAuthorization(_ callback: @escaping (AuthorizationEvent) -> Void) -> EventSubscription {
    device.listeners.authorization.subscribe(callback)
  }

  /// The network came or went; also once at `start`.
  @discardableResult
  public func onConnectivityChange(_ callback: @escaping (ConnectivityChangeEvent) -> Void) -> EventSubscription {
    device.listeners.connectivityChange.subscribe(callback)
  }

  /// Tracking was switched on or off.
  @discardableResult
  public func onEnabledChange(_ callback: @escaping (EnabledChangeEvent) -> Void) -> EventSubscription {
    device.listeners.enabledChange.subscribe(callback)
  }

  /// The system began or ended saving power.
  @discardableResult
  public func onPowerSaveChange(_ callback: @escaping (PowerSaveChangeEvent) -> Void) -> EventSubscription {
    device.listeners.powerSaveChange.subscribe(callback)
  }

  /// The schedule has switched tracking on or off.
  @discardableResult
  public func onSchedule(_ callback: @escaping (ScheduleEvent) -> Void) -> EventSubscription {
    device.listeners.schedule.subscribe(callback)
  }

  /// A position, or the crossing of a geofence, was rejected.
  @discardableResult
  public func onLocationFilter(_ callback: @escaping (LocationFilterEvent) -> Void) -> EventSubscription {
    device.listeners.locationFilter.subscribe(callback)
  }

  /// Ends all subscriptions of this instance.
  public func removeListeners() { device.listeners.removeAll() }
}
