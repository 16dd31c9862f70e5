/// Everything the server can be asked for. The names begin the `operationId`s of openapi/openapi.json; where one operation
/// has several paths or methods, the others have `_` and a word behind it.
enum Operation: String, CaseIterable, Sendable {
  // What devices call.
  case uploadLocations, registerDevice, refreshToken, uploadDeviceLog

  // What operators and machines call.
  case getHealth, getReadiness, getMetrics, getContract, getPage, getPageFile

  // What tests and administrators call, under /admin/v1.
  case listDevices, getDevice, deleteDevice, listDeviceLocations, listLatestLocations
  case queueDeviceCommands, listDeviceCommands, queueCommands, setDeviceTags
  case listFaults, putFaults, deleteFaults
  case listRequests, awaitRecords, verifyRecords, listRecordIdentities
  case listQuarantine, countQuarantine, getQuarantined, clearQuarantine, deleteQuarantined
  case listDeviceLogs, getDeviceLog
  case expireTokens, revokeTokens, breakRefresh
  case getMap, putMap, deleteMap
  case streamEvents, streamLive, getStatistics, reset

  /// Administration needs the token, or a caller on this machine when no token is set.
  var isAdministrative: Bool {
    switch self {
    case .uploadLocations, .registerDevice, .refreshToken, .uploadDeviceLog, .getHealth, .getReadiness, .getMetrics,
      .getContract, .getPage, .getPageFile:
      false
    default: true
    }
  }
}
