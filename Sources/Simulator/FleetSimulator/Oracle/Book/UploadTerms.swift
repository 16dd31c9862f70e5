import Base
import Contract
import Upload

/// What of a device's configuration its uploads are measured by.
struct UploadTerms {
  let platform: DevicePlatform
  let autoSync: Bool
  /// 1 without batches; nil: as many as there are.
  let recordsPerRequestMax: Int?
  let threshold: Int
  let defersOnCellular: Bool
  let newestFirst: Bool
  /// Nil: no limit.
  let queueMax: Int?
  let daysMax: Int?
  let timeout: Nanoseconds
  let url: String
  let stopsOnTerminate: Bool

  /// A shorter queue never holds so many records that an insert begins an upload.
  var canReachThreshold: Bool { queueMax.map { $0 >= threshold } ?? true }

  init(_ configuration: Configuration) {
    let (http, persistence) = (configuration.http, configuration.persistence)
    platform = configuration.platform
    autoSync = http.autoSync
    recordsPerRequestMax = !http.batchSync ? 1 : http.maxBatchSize > 0 ? http.maxBatchSize : nil
    threshold = max(1, http.autoSyncThreshold)
    defersOnCellular = http.disableAutoSyncOnCellular
    newestFirst = persistence.locationsOrderDirection == .descending
    queueMax = persistence.maxRecordsToPersist > 0 ? persistence.maxRecordsToPersist : nil
    daysMax = persistence.maxDaysToPersist > 0 ? persistence.maxDaysToPersist : nil
    timeout = UploadRules.timeout(milliseconds: http.timeoutMilliseconds)
    url = http.url
    stopsOnTerminate = configuration.app.stopOnTerminate
  }
}
