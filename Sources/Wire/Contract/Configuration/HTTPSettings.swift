package import JSON

/// Group `http`: where records go and in what portions (SDK §2.5).
package struct HTTPSettings: Equatable, Sendable {
  /// As configured; `uploadURL` says whether uploads can go there.
  package var url = ""
  package var method = UploadMethod.post
  /// The key that wraps the records; "." for none.
  package var rootProperty = "location"
  /// Always an object.
  package var headers = JSONValue.emptyObject
  /// Always an object.
  package var params = JSONValue.emptyObject
  package var timeoutMilliseconds = 60_000.0
  package var autoSync = true
  package var autoSyncThreshold = 0
  package var batchSync = false
  /// -1: all records in one request.
  package var maxBatchSize = -1
  package var disableAutoSyncOnCellular = false
}
