import Contract
import Engine
import Host
import Vocabulary

/// The geofences of a device. They stay over launches and reboots until they are removed.
public final class GeofenceManager: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// Adds a geofence, or puts it in the place of one with its identifier. It counts at once, also
  /// before `ready`, and is watched while tracking is on. Throws `BGGeoError` when the geofence makes no sense; nothing has changed then.
  public func add(_ geofence: Geofence) async throws { try await addAll([geofence]) }

  /// The same for many, all or none. The error names the one that makes no sense.
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

  /// Removes a geofence; one that is not there is passed over.
  public func remove(_ identifier: String) async throws {
    device.call(.removeGeofences(identifiers: [identifier]))
  }

  /// Removes those geofences, or all of them.
  public func removeAll(_ identifiers: [String]? = nil) async throws {
    device.call(.removeGeofences(identifiers: identifiers))
  }

  /// All geofences as they are now, in the order in which they were added.
  public func getAll() -> [Geofence] {
    (device.perform { core, _ in core.host.engine.geofences } ?? []).map { Geofence($0) }
  }

  /// Throws `BGGeoError` when there is no such geofence.
  public func get(_ identifier: String) async throws -> Geofence {
    let found = device.perform { core, _ in core.host.engine.geofence(identifier) }
    guard let fence = found ?? nil else { throw BGGeoError("there is no geofence \(identifier)") }
    return Geofence(fence)
  }

  /// Whether there is such a geofence.
  public func exists(_ identifier: String) async -> Bool {
    device.perform { core, _ in core.host.engine.geofence(identifier) != nil } ?? false
  }
}
