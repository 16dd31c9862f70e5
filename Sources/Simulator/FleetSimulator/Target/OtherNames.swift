import BackendStore
import Base
import Store

/// The entries that show that a list has records under other identities than their uuids.
struct OtherNames {
  private let uuids: Set<UUID128>
  private let times: Set<Int64>
  private let count: Int
  private var misnamed: StoreViewError?
  /// The number of entries with the time of a record, and the identity of the last of them.
  private var (alike, other) = (0, UUID128?.none)

  /// `lacking` are the records that were not found by their uuids.
  init(of lacking: [PointKey]) {
    (uuids, times, count) = (Set(lacking.map(\.uuid)), Set(lacking.map(\.recordedAt)), lacking.count)
  }

  mutating func take(_ record: StoredRecord, at place: String) {
    // It is listed for another device.
    if let uuid = record.uuid, uuids.contains(uuid) { return }
    if misnamed == nil, let path = record.entry.place(ofAny: uuids) {
      misnamed = .misnamed(place, path: path, named: record.namedPlace(of: "uuid"))
    }
    guard let time = record.value("timestamp")?.instant, times.contains(time.millisecondsSince1970) else { return }
    (other, alike) = (record.uuid, alike + 1)
  }

  /// Returns where the uuids are, or that the list has others, as half a sentence; nil where nothing shows either.
  func reason(_ place: String) -> String? {
    if let misnamed { return misnamed.text }
    guard let other, 2 * alike >= count else { return nil }
    return
      "\(place): what has the time of a record is listed as \(other.text): let the list show the uuid of the record too, and name its place as 'uuid' in verify.fields"
  }
}
