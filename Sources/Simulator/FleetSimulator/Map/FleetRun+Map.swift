import Base
package import Scenario
import World

extension FleetRun {
  /// The places of the run, as far as they are known by now; nil when there is no device.
  package func map(of scenario: Scenario) -> RunMap? {
    let tracks = trackRecorder.tracks.map { track in
      RunMap.Track(
        device: site.names[track.device], fleet: fleets.firstIndex { $0.contains(track.device) } ?? 0,
        places: track.places)
    }
    guard let bounds = Bounds(tracks.flatMap(\.places)) else { return nil }
    // Fleets in different places have different cities; the map shows the one of the first.
    let city = setup.fleets.lazy.compactMap(\.movement.city).first
    let zones = (city?.allZones ?? []).filter { bounds.touches($0.area.vertices) }.map { zone in
      RunMap.Area(name: zone.kind == .tunnel ? "tunnel" : "dead zone", places: zone.area.vertices)
    }
    let places = scenario.faults.compactMap { fault in
      fault.selection.place.map { RunMap.Area(name: fault.name, places: $0.vertices) }
    }
    return RunMap(
      fleets: setup.fleets.map(\.name), tracks: tracks, zones: zones,
      places: places.filter { bounds.touches($0.places) },
      streets: city?.streets(near: bounds) ?? [], bounds: bounds)
  }
}

extension City {
  /// The streets of a part of the city; where it is large, only the greater ones.
  fileprivate func streets(near bounds: Bounds) -> [RunMap.Street] {
    let isLarge = bounds.widthMetres > 60 * blockMetres
    return streets.compactMap { street, places in
      let isArtery = street.streetClass > .local
      guard isArtery || !isLarge, bounds.touches(places) else { return nil }
      return RunMap.Street(places: places, isArtery: isArtery)
    }
  }
}
