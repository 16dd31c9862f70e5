import Base
import Contract
import Vocabulary

extension Engine {
  mutating func demandLocationUpdates(_ isOn: Bool, into effects: inout [Effect]) {
    let wanted = isOn && !settings.usesSignificantChangesOnly ? locationUpdates : nil
    guard wanted != demands.locationUpdates else { return }
    if (wanted == nil) != (demands.locationUpdates == nil) {
      note(.locationUpdates(isOn: wanted != nil), .info, into: &effects)
    }
    demands.locationUpdates = wanted
    effects.append(.demand(.locationUpdates(wanted)))
  }

  private var locationUpdates: LocationUpdates {
    let geolocation = configuration.geolocation
    let takesAll = profile.platform == .android && distanceFilter.configuredMetres == 0
    return LocationUpdates(
      distanceFilterMetres: distanceFilter.effectiveMetres, desiredAccuracy: geolocation.desiredAccuracy,
      intervalMilliseconds: takesAll ? geolocation.locationUpdateIntervalMilliseconds : 0,
      pausesAutomatically: profile.platform == .ios && geolocation.pausesLocationUpdatesAutomatically)
  }

  /// The distance alone has changed: at every other step of a drive.
  mutating func demandDistanceFilter(into effects: inout [Effect]) {
    guard demands.locationUpdates != nil else { return }
    demands.locationUpdates?.distanceFilterMetres = distanceFilter.effectiveMetres
    effects.append(.demand(.locationUpdates(demands.locationUpdates)))
  }

  /// Sampling runs while anybody waits for a position, at the best accuracy that one of them wants.
  mutating func demandSampling(into effects: inout [Effect]) {
    var wanted: Double?
    for request in requests { wanted = min(wanted ?? .infinity, request.terms.desiredAccuracyMetres) }
    if !watches.isEmpty || fences.wantsHighRate {
      wanted = min(wanted ?? .infinity, max(0, configuration.geolocation.desiredAccuracy))
    }
    demands.wantsHighRate = fences.wantsHighRate
    guard wanted != demands.samplingAccuracyMetres else { return }
    demands.samplingAccuracyMetres = wanted
    effects.append(.demand(.sampling(desiredAccuracyMetres: wanted)))
  }

  mutating func demandStationaryRegion(_ circle: Circle?, into effects: inout [Effect]) {
    let isLeft = demands.leftovers.remove(.stationaryRegion) != nil
    guard isLeft || circle != demands.stationaryRegion else { return }
    demands.stationaryRegion = circle
    effects.append(.demand(.stationaryRegion(circle)))
  }

  mutating func demandProximityRegion(_ circle: Circle?, into effects: inout [Effect]) {
    let isLeft = demands.leftovers.remove(.proximityRegion) != nil
    guard isLeft || circle != demands.proximityRegion else { return }
    demands.proximityRegion = circle
    effects.append(.demand(.proximityRegion(circle)))
  }

  mutating func demandActivity(_ isOn: Bool, into effects: inout [Effect]) {
    let wanted =
      isOn && !configuration.activity.disableMotionActivityUpdates && !settings.followsSignificantChanges
    guard wanted != demands.wantsActivity else { return }
    demands.wantsActivity = wanted
    effects.append(.demand(.activityUpdates(isOn: wanted)))
  }

  mutating func demandSignificantChanges(_ isOn: Bool, into effects: inout [Effect]) {
    let isLeft = demands.leftovers.remove(.significantChanges) != nil
    guard isLeft || isOn != demands.wantsSignificantChanges else { return }
    demands.wantsSignificantChanges = isOn
    effects.append(.demand(.significantChanges(isOn: isOn)))
  }

  mutating func demandBackgroundFetch(_ isOn: Bool, into effects: inout [Effect]) {
    let wanted = isOn && profile.platform == .ios
    let isLeft = demands.leftovers.remove(.backgroundFetch) != nil
    guard isLeft || wanted != demands.wantsBackgroundFetch else { return }
    demands.wantsBackgroundFetch = wanted
    effects.append(.demand(.backgroundFetch(isOn: wanted)))
  }
}
