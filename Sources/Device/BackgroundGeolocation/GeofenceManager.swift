import Contract
import Engine
import Host
import Vocabulary

/// The geofences of a device. They persist over launches and reboots until they are removed.
public final class GeofenceManager: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// Adds a geofence, replacing one with the same identifier. It takes effect at once, also before `ready`, and is
  /// watched while tracking is on. Throws `BGGeoError`, without any change, when the geofence is invalid.
  public func add(_ geofence: Geofence) async throws { try await addAll([geofence]) }

  /// Adds all or none of the geofences. The error names the invalid one.
  public func addAll(_ geofences: [Geofence]) async throws {
    let fences = try geofences.enumerated().map { index, geofence in
      do throws(BGGeoError) {
        return try geofence.definition()
      } catch {
        let name = geofence.identifier.isEmpty ? "number \(index + 1) of \(geofences.count)" : geofence.identifier
        throw BGGeoError("geofence \(name): \(error)")
      }
    }
    device.call(.addGeofences(fences))
  }

  /// Removes a geofence. An unknown identifier is ignored.
  public func remove(_ identifier: String) async throws {
    device.call(.removeGeofences(identifiers: [identifier]))
  }

  /// Removes the named geofences, or all.
  public func removeAll(_ identifiers: [String]? = nil) async throws {
    device.call(.removeGeofences(identifiers: identifiers))
  }

  /// Returns all geofences: those of earlier processes by their identifiers, then the others in the order in which they were added.
  public func getAll() -> [Geofence] {
    (device.perform { core, _ in core.host.engine.geofences } ?? []).map { Geofence($0) }
  }

  /// Returns a geofence. Throws `BGGeoError` when it does not exist.
  public func get(_ identifier: String) async throws -> Geofence {
    let found = device.perform { core, _ in core.host.engine.geofence(identifier) }
    guard let fence = found ?? nil else { throw BGGeoError("there is no geofence \(identifier)") }
    return Geofence(fence)
  }

  /// Whether the geofence exists.
  public func exists(_ identifier: String) async -> Bool {
    device.perform { core, _ in core.host.engine.geofence(identifier) != nil } ?? false
  }
}
