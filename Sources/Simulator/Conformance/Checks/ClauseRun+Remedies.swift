import BackendStore
import Base
import Contract
import Scenario
import Upload

/// Remedies for findings that a mistake in the dialect may cause.
extension ClauseRun {
  /// Returns the stop of `refusal`, with a remedy if no upload was acknowledged: the URL may be wrong, or something
  /// required may be missing.
  func refusalOfAll(_ upload: ConformancePhone.Upload, of what: String) -> ClauseStop {
    let stop = refusal(upload, of: what)
    guard watch.seen.successes == 0, upload.status >= 400, case .broken(var breach) = stop else { return stop }
    let place = "uploads go to \(target.url) (--target, and 'path' in the dialect)"
    let params =
      "the backend may ask for more than the records, such as a name of the device, which belongs into app.http.params (--learn tries some), or for devices that it knows, which 'devices' in the dialect creates"
    let isPlace = [404, 405, 410].contains(upload.status)
    if [502, 503, 504].contains(upload.status) {
      breach.remedy =
        "no upload was acknowledged: where the answer is a proxy's, the server behind it does not answer, or not in time"
      return .broken(breach)
    }
    breach.remedy = "no upload was acknowledged: " + (isPlace ? "\(place); \(params)" : "\(params); \(place)")
    return .broken(breach)
  }

  static let remedyOfBatches =
    "single records are acknowledged: where the app sends no batches, say so with app.http.batchSync: false"

  /// Reports whether a backend that accepts single records rejected a batch.
  func isRefusedBatch(_ upload: ConformancePhone.Upload) -> Bool {
    upload.status >= 400 && facts.refusesBatchesAlone && upload.request.payload?.isBatch ?? false
  }

  /// Returns the stop for swapped coordinates; the dialect's description may have them swapped, too.
  func swapped(_ latitude: Double, as stored: Double, _ entry: StoredRecord) -> ClauseStop {
    let stop = fail(
      "latitude \(latitude) is stored as \(stored), which is the longitude", stored: entry.entry.shown.shortened(200))
    guard case .broken(var breach) = stop else { return stop }
    let places = ["coords.latitude", "coords.longitude"].compactMap { name in
      entry.namedPlace(of: name).map { "'\(name)' at \($0)" }
    }
    guard !places.isEmpty else { return stop }
    breach.remedy =
      "verify.fields has \(places.joined(separator: " and ")): where the store has each under its right name, they are swapped there"
    return .broken(breach)
  }

  private static let timesOfLists = Nanoseconds.seconds(12 * 3_600)

  /// A store that has never shown an entry may hold all of them elsewhere, and a list may be one of the last day or week.
  func doubted(_ loss: ClauseStop, of missing: [SentRecord]) -> ClauseStop {
    guard case .broken(var breach) = loss else { return loss }
    guard facts.longestList == 0 else {
      let far = ClauseRun.timesOfLists.wholeMilliseconds
      guard missing.allSatisfy({ abs(wallNow.milliseconds(since: $0.timestamp)) > far }) else { return loss }
      breach.remedy =
        "if the list shows only the records of a day or a week, request those of all times: 'verify' in the dialect"
      return .broken(breach)
    }
    breach.doubt = ", or not where it is looked for: the store has shown no entry for any device"
    breach.cause += breach.doubt
    breach.remedy =
      "does the query work, and does it use the device names of the uploads? \(target.storePlace ?? "verify"): 'verify' in the dialect says how the store is read. Do uploads name their device? Put ${device.id} where the backend expects it: app.http.headers, app.http.params, app.persistence.extras or 'path'"
    return .broken(breach)
  }
}
