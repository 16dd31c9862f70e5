import Base
import Scenario
import Sinks

/// The messages of a NATS stream or a Kafka topic, of all devices: records that a backend has forwarded.
struct StreamStore: StoreView {
  let url: String
  let fields: [Named<[JSONStep]>]

  var place: String { url }
  var isOfAllDevices: Bool { true }
  var isInArrivalOrder: Bool { true }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    try session().read(device, take)
  }

  func session() throws(StoreViewError) -> any StoreSession {
    do throws(StreamURL.Problem) {
      return StreamSession(try StreamURL(url, hasExtras: true), fields: fields)
    } catch { throw StoreViewError(text: "\(place): \(error.text)") }
  }

  /// Returns a mistake in a URL, as half a sentence; nil without one.
  static func problem(_ url: String) -> String? {
    do throws(StreamURL.Problem) { _ = try StreamURL(url, hasExtras: true) } catch { return error.text }
    return nil
  }
}

/// Reads the whole stream each time.
private final class StreamSession: StoreSession {
  private let place: StreamURL
  private let fields: [Named<[JSONStep]>]

  init(_ place: StreamURL, fields: [Named<[JSONStep]>]) { (self.place, self.fields) = (place, fields) }

  /// The identity of a message; consumers must ignore ids that they have already seen.
  private struct Message: Hashable {
    let id: UInt64
    let uuid: UUID128
  }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    var (seen, number) = (Set<Message>(), 0)
    var problem: StoreViewError?
    var end = ListEnd()
    do throws(StreamFailure) {
      try place.read { bytes in
        number += 1
        guard problem == nil else { return }
        guard let entry = StoredValue(bytes), case .object = entry else {
          problem = StoreViewError(text: "\(place.shown): message \(number) is no JSON object")
          return
        }
        if let run = place.extras.run, entry["run"]?.string != run { return }
        let record = StoredRecord(entry, fields: fields)
        if let id = entry["id"]?.string, let uuid = record.uuid,
          !seen.insert(Message(id: FNV1a.hash(id), uuid: uuid)).inserted
        {
          end.repetitions += 1
        } else {
          take(record)
        }
      }
    } catch { throw StoreViewError(text: "\(place.shown): \(error.message)") }
    if let problem { throw problem }
    return end
  }
}
