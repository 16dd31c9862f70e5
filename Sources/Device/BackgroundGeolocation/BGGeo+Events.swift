/// What listeners are told. Each subscription lives as long as the value that is returned; one that is not kept ends at
/// once. A listener runs on the actor on which it was added: one of the main actor on the main thread, one that was added
/// on no actor in the background, on the queue of callbacks.
extension BGGeo {
  /// Every location that is recorded, and the samples on the way to one, whose `sample` is true.
  @discardableResult
  public func onLocation(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (LocationEvent) -> Void
  ) -> EventSubscription {
    device.listeners.location.subscribe(isolation: isolation, callback)
  }

  /// The same, and why a position could not be had.
  @discardableResult
  public func onLocation(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (LocationEvent) -> Void,
    failure: @escaping (LocationError) -> Void
  ) -> EventSubscription {
    let locations = device.listeners.location.subscribe(isolation: isolation, callback)
    let errors = device.listeners.locationError.subscribe(isolation: isolation, failure)
    return EventSubscription {
      locations.remove()
      errors.remove()
    }
  }

  /// The device began to move, or came to rest: `isMoving` says which. It is stored and uploaded, whatever the
  /// threshold.
  @discardableResult
  public func onMotionChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (LocationEvent) -> Void
  ) -> EventSubscription {
    device.listeners.motionChange.subscribe(isolation: isolation, callback)
  }

  /// The motion sensors report another activity.
  @discardableResult
  public func onActivityChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (ActivityChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.activityChange.subscribe(isolation: isolation, callback)
  }

  /// Permissions or location services have changed; also once after `ready`.
  @discardableResult
  public func onProviderChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (ProviderChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.providerChange.subscribe(isolation: isolation, callback)
  }

  /// The device crossed the boundary of a geofence, or stayed inside for its loitering delay.
  @discardableResult
  public func onGeofence(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (GeofenceEvent) -> Void
  ) -> EventSubscription {
    device.listeners.geofence.subscribe(isolation: isolation, callback)
  }

  /// Other geofences than before are watched. Both lists are empty when all were removed.
  @discardableResult
  public func onGeofencesChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (GeofencesChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.geofencesChange.subscribe(isolation: isolation, callback)
  }

  /// The device is at rest, and `AppConfig.heartbeatInterval` has passed.
  @discardableResult
  public func onHeartbeat(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (HeartbeatEvent) -> Void
  ) -> EventSubscription {
    device.listeners.heartbeat.subscribe(isolation: isolation, callback)
  }

  /// An upload request has ended, well or badly.
  @discardableResult
  public func onHttp(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (HttpEvent) -> Void
  ) -> EventSubscription {
    device.listeners.http.subscribe(isolation: isolation, callback)
  }

  /// A request for new tokens has ended, well or badly.
  @discardableResult
  public func onAuthorization(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (AuthorizationEvent) -> Void
  ) -> EventSubscription {
    device.listeners.authorization.subscribe(isolation: isolation, callback)
  }

  /// The network came or went; also once at `start`.
  @discardableResult
  public func onConnectivityChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (ConnectivityChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.connectivityChange.subscribe(isolation: isolation, callback)
  }

  /// Tracking was switched on or off.
  @discardableResult
  public func onEnabledChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (EnabledChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.enabledChange.subscribe(isolation: isolation, callback)
  }

  /// The system began or ended saving power.
  @discardableResult
  public func onPowerSaveChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (PowerSaveChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.powerSaveChange.subscribe(isolation: isolation, callback)
  }

  /// The schedule has switched tracking on or off.
  @discardableResult
  public func onSchedule(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (ScheduleEvent) -> Void
  ) -> EventSubscription {
    device.listeners.schedule.subscribe(isolation: isolation, callback)
  }

  /// A position, or the crossing of a geofence, was rejected.
  @discardableResult
  public func onLocationFilter(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (LocationFilterEvent) -> Void
  ) -> EventSubscription {
    device.listeners.locationFilter.subscribe(isolation: isolation, callback)
  }

  /// Ends all subscriptions of this instance.
  public func removeListeners() { device.listeners.removeAll() }
}
