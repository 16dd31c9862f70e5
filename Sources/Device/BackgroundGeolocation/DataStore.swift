import Base
import Contract
import Database
import Host
import JSON
import Queue
import Upload
import Vocabulary

/// The records that no server has acknowledged yet.
public final class DataStore: Sendable {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Oldest first.
  public static let ORDER_ASC = 1
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Newest first.
  public static let ORDER_DESC = -1

  private let device: Device

  init(_ device: Device) { self.device = device }

  /// The number of records, including those that are being uploaded.
  public var count: Int { device.perform { core, _ in core.host.queue.count } ?? 0 }

  /// Returns the stored records, rendered by templates if any are configured; a template that makes arrays gives `["data":
  /// array]`. `limit` 0 is all of them. Skips `offset` records, or `page` times `limit` when `offset` is 0. `order` is
  /// `ORDER_ASC` or `ORDER_DESC`, 0 for the configured one. Throws `BGGeoError` when the store cannot be read.
  public func all(limit: Int = 0, offset: Int = 0, page: Int = 0, order: Int = 0) async throws -> [[String: Any]] {
    let read = device.perform { core, _ -> Result<[QueuedRecord], BGGeoError> in
      let configured = core.host.configuration.persistence.locationsOrderDirection == .descending
      let (skipped, isTooMany) = max(0, page).multipliedReportingOverflow(by: max(0, limit))
      let start = offset > 0 ? offset : isTooMany ? Int.max : skipped
      do throws(DatabaseError) {
        return .success(
          try core.host.queue.read(
            limit: limit > 0 ? limit : .max, offset: start,
            newestFirst: order == 0 ? configured : order == Self.ORDER_DESC))
      } catch { return .failure(BGGeoError("\(error)")) }
    }
    return (try read?.get() ?? []).map(\.dictionary)
  }

  /// Stores a record of the app, whatever the persist mode, and returns its `uuid`. A missing `uuid`, or one that is no UUID, is
  /// replaced by a new one, the latter with a warning in the log; everything else is uploaded unchanged. Throws `BGGeoError` for
  /// a record without `coords.latitude` and `coords.longitude`, for values that JSON cannot represent, for the `uuid` of a stored
  /// record, and where `maxRecordsToPersist` is 0.
  public func insert(_ record: [String: Any]) async throws -> String {
    guard let object = JSONObject(any: record) else {
      throw BGGeoError("\(UnusableValue.path(in: record) ?? "the record") must be a value of JSON")
    }
    let inserted = device.perform { core, now -> Result<UUID128, BGGeoError> in
      let uuid = core.nextUUID()
      do throws(FieldError) {
        return .success(try core.host.insert(object, uuid: uuid, at: now))
      } catch { return .failure(BGGeoError("\(error)")) }
    }
    guard let uuid = try inserted?.get() else { throw LocationError.cancelled }
    // In the spelling of the app.
    if case .string(let own)? = object["uuid"], UUID128(text: own.utf8.span) == uuid { return own }
    return device.style.text(of: uuid)
  }

  /// Deletes a record, even one that is being uploaded. An unknown uuid is ignored.
  public func destroy(_ uuid: String) {
    guard let uuid = UUID128(text: uuid.utf8.span) else { return }
    device.perform { core, now in
      do throws(DatabaseError) {
        _ = try core.host.destroy(uuid, at: now)
      } catch { core.note(.error("\(error)", from: .records), at: now) }
    }
  }

  /// Deletes all records, even those that are being uploaded. Returns false, and logs why, when the store cannot be written.
  @discardableResult
  public func destroyAll() -> Bool {
    device.perform { core, now in
      do throws(DatabaseError) {
        try core.host.destroyAll(at: now)
        return true
      } catch {
        core.note(.error("\(error)", from: .records), at: now)
        return false
      }
    } ?? false
  }

  /// Deletes all records, like the function above, but throws `BGGeoError` on failure.
  public func destroyAll() async throws {
    let isDone: Bool = destroyAllNow()
    guard isDone else { throw BGGeoError("the store cannot be written") }
  }

  private func destroyAllNow() -> Bool { destroyAll() }

  /// Uploads all records now, regardless of `autoSync`, threshold and network type, and returns the acknowledged ones.
  /// Without a url it returns all records and deletes them. Before `ready` it waits. Throws `HttpError`, or
  /// `LocationError` 499 when the task is cancelled; the upload continues.
  public func sync() async throws -> [[String: Any]] {
    guard let number = device.perform({ core, _ in core.waiting.makeID() }) else { throw LocationError.cancelled }
    let id = UInt64(number)
    let records: [QueuedRecord] = try await device.answer(
      ask: { core, continuation, now in
        core.waiting.syncs[id] = continuation
        core.host.sync(completion: id, at: now)
      }, cancel: { core in core.waiting.syncs.removeValue(forKey: id) })
    return records.map(\.dictionary)
  }
}

extension QueuedRecord {
  fileprivate var dictionary: [String: Any] {
    if let object = JSONObject(parsing: bytes) { return object.recordDictionary }
    do throws(JSONError) {
      return ["data": try JSONValue(parsing: bytes.span).element]
    } catch { return [:] }
  }
}
