import HTTP1

extension Route {
  /// Requests that no path serves are counted here too.
  static let page = anyone("/", "getPage") { context, exchange, _ in .answer(context.page(exchange)) }

  /// Everything the server can be asked for. The order matters only where a pattern with `**` or a parameter would take what
  /// another one names, and on the page of the metrics.
  static let table: [Route] = [
    device(
      [.post, .put, .patch],
      ["/locations", "/locations/{org}", "/api/locations", "/v2/locations", "/ingest/**"], .uploadLocations
    ) { $0.upload($1, $2) },
    device([.post], ["/api/register", "/v2/register", "/api/jwt/register"], .registerDevice) { context, exchange, _ in
      context.register(exchange)
    },
    device([.post], ["/api/refresh_token", "/v2/refresh_token"], .refreshToken) { context, exchange, _ in
      context.refresh(exchange)
    },
    device([.post], ["/logs/{device}"], .uploadDeviceLog) { context, exchange, _ in context.keepLog(exchange) },

    anyone("/healthz", "getHealth") { context, _, _ in context.health() },
    anyone("/readyz", "getReadiness") { context, _, _ in context.readiness() },
    anyone("/metrics", "getMetrics") { context, _, _ in context.renderMetrics() },
    anyone("/openapi.json", "getContract") { context, _, _ in context.contract() },
    page,
    anyone("/page/{file}", "getPageFile") { context, exchange, _ in .answer(context.page(exchange)) },

    admin(.get, "/devices", "listDevices", query: ["run", "limit", "cursor"]) { $0.listDevices },
    admin(.get, "/devices/{id}", "getDevice", query: ["run"]) { $0.device },
    admin(.delete, "/devices/{id}", "deleteDevice", query: ["run"]) { $0.deleteDevice },
    admin(
      .get, "/devices/{id}/locations", "listDeviceLocations",
      query: ["run", "from", "to", "limit", "cursor", "format", "shape"]
    ) { $0.listLocations },
    admin(.get, "/locations/latest", "listLatestLocations", query: ["run", "limit", "cursor", "format"]) {
      $0.listLatest
    },
    admin(.post, "/devices/{id}/commands", "queueDeviceCommands", query: ["run"]) { $0.queueForDevice },
    admin(.get, "/devices/{id}/commands", "listDeviceCommands", query: ["run", "limit", "cursor"]) {
      $0.listCommands
    },
    admin(.post, "/commands", "queueCommands", query: ["run"]) { $0.queueForMany },
    admin(.put, "/devices/{id}/tags", "setDeviceTags", query: ["run"]) { $0.setTags },
    admin(.get, "/faults", "listFaults", query: ["run"]) { $0.listFaults },
    admin(.put, "/faults", "putFaults", query: ["run"]) { $0.putFaults },
    admin(.delete, "/faults", "deleteFaults", query: ["run"]) { $0.deleteFaults },
    admin(
      .get, "/requests", "listRequests",
      query: [
        "run", "device", "operation", "method", "status", "path", "fault", "from", "to", "limit", "cursor", "order",
        "format",
      ]
    ) { $0.listRequests },
    admin(.post, "/await", "awaitRecords", query: ["run"]) { $0.awaitRecords },
    admin(.post, "/verify", "verifyRecords", query: ["run", "from", "to"]) { $0.verify },
    admin(.get, "/uuids", "listRecordIdentities", query: ["run", "device", "from", "to", "limit", "cursor"]) {
      $0.listIdentities
    },
    admin(.get, "/quarantine", "listQuarantine", query: ["run", "device", "reason", "limit", "cursor"]) {
      $0.listQuarantine
    },
    admin(.get, "/quarantine/reasons", "countQuarantine", query: ["run", "device", "reason"]) { $0.countQuarantine },
    admin(.get, "/quarantine/{record}", "getQuarantined", query: []) { $0.quarantined },
    admin(.delete, "/quarantine", "clearQuarantine", query: ["run", "device", "reason"]) { $0.clearQuarantine },
    admin(.delete, "/quarantine/{record}", "deleteQuarantined", query: []) { $0.deleteQuarantined },
    admin(.get, "/devices/{id}/logs", "listDeviceLogs", query: ["run"]) { $0.listLogs },
    admin(.get, "/devices/{id}/logs/{log}", "getDeviceLog", query: ["run"]) { $0.getLog },
    admin(.post, "/tokens/expire", "expireTokens", query: ["run"]) { $0.expireTokens },
    admin(.post, "/tokens/revoke", "revokeTokens", query: ["run"]) { $0.revokeTokens },
    admin(.put, "/tokens/break-refresh", "breakRefresh", query: ["run"]) { $0.breakRefresh },
    admin(.get, "/map", "getMap", query: ["run"]) { $0.map },
    admin(.put, "/map", "putMap", query: ["run"]) { $0.putMap },
    admin(.delete, "/map", "deleteMap", query: ["run"]) { $0.deleteMap },
    admin(.get, "/events", "streamEvents", query: ["run", "device"]) { $0.streamEvents },
    admin(.get, "/live", "streamLive", query: ["run"]) { $0.streamLive },
    admin(.get, "/stats", "getStatistics", query: ["run"]) { $0.statistics },
    admin(.post, "/reset", "reset", query: ["run"]) { $0.reset },
  ]
}
