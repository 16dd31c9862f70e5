import Contract
import HTTP1

extension Route {
  /// Requests for unserved paths are counted here too.
  static let page = anyone("/", named: "getPage") { context, exchange, _ in context.page.file(exchange) }

  private static func discovery(_ path: String, _ handler: @escaping Handler) -> Route {
    anyone(path, named: "getDiscovery", namesOrigin: true, handler)
  }

  /// All routes of the server. The order matters only where a pattern with `**` or a parameter would match the path of another
  /// route, and on the page of metrics.
  static let table: [Route] = [
    device(
      [.post, .put, .patch],
      ["/locations", "/locations/{org}", "/api/locations", "/v2/locations", "/ingest/**"], .uploadLocations
    ) { $0.uploads.upload($1, $2) },
    device([.post], ["/api/register", "/v2/register", "/api/jwt/register"], .registerDevice) { context, exchange, _ in
      context.tokens.register(exchange)
    },
    device([.post], ["/api/refresh_token", "/v2/refresh_token"], .refreshToken) { context, exchange, _ in
      context.tokens.refresh(exchange)
    },
    // The providers of `--identity`, each under its own paths.
    device([.post], ["/realms/rollingroad/protocol/openid-connect/token"], .refreshToken) { context, exchange, _ in
      context.identity.grant(.keycloak, .token, exchange)
    },
    device([.post], ["/"], .refreshToken) { context, exchange, _ in
      context.identity.grant(.cognito, .service, exchange)
    },
    device([.post], ["/oauth2/token"], .refreshToken) { context, exchange, _ in
      context.identity.grant(.cognito, .token, exchange)
    },
    device([.post], ["/oauth/token"], .refreshToken) { context, exchange, _ in
      context.identity.grant(.auth0, .token, exchange)
    },
    device([.post], ["/v1/accounts:signInWithPassword"], .registerDevice) { context, exchange, _ in
      context.identity.grant(.firebase, .login, exchange)
    },
    device([.post], ["/v1/token"], .refreshToken) { context, exchange, _ in
      context.identity.grant(.firebase, .token, exchange)
    },
    device([.post], ["/auth/v1/signup"], .registerDevice) { context, exchange, _ in
      context.identity.grant(.supabase, .login, exchange)
    },
    device([.post], ["/auth/v1/token"], .refreshToken) { context, exchange, _ in
      context.identity.grant(.supabase, .token, exchange)
    },
    anyone("/.well-known/jwks.json", named: "getKeys") { context, exchange, _ in
      context.identity.keys(.auth0, .own, for: exchange)
    },
    anyone("/realms/rollingroad/protocol/openid-connect/certs", named: "getKeys") { context, exchange, _ in
      context.identity.keys(.keycloak, for: exchange)
    },
    anyone("/us-east-1_rollroad1/.well-known/jwks.json", named: "getKeys") { context, exchange, _ in
      context.identity.keys(.cognito, for: exchange)
    },
    anyone("/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", named: "getKeys") {
      context, exchange, _ in context.identity.keys(.firebase, for: exchange)
    },
    anyone("/auth/v1/.well-known/jwks.json", named: "getKeys") { context, exchange, _ in
      context.identity.keys(.supabase, for: exchange)
    },
    discovery("/.well-known/openid-configuration") { context, exchange, _ in
      context.identity.discovery(.auth0, .own, for: exchange)
    },
    discovery("/realms/rollingroad/.well-known/openid-configuration") { context, exchange, _ in
      context.identity.discovery(.keycloak, for: exchange)
    },
    discovery("/us-east-1_rollroad1/.well-known/openid-configuration") { context, exchange, _ in
      context.identity.discovery(.cognito, for: exchange)
    },
    discovery("/rolling-road/.well-known/openid-configuration") { context, exchange, _ in
      context.identity.discovery(.firebase, for: exchange)
    },
    discovery("/auth/v1/.well-known/openid-configuration") { context, exchange, _ in
      context.identity.discovery(.supabase, for: exchange)
    },
    device([.post], ["/logs/{device}"], .uploadDeviceLog) { context, exchange, _ in context.logs.keep(exchange) },

    anyone("/healthz", named: "getHealth") { context, _, _ in context.health.health() },
    anyone("/readyz", named: "getReadiness") { context, _, _ in context.health.readiness() },
    anyone("/metrics", named: "getMetrics") { context, _, _ in context.health.metrics() },
    anyone("/openapi.json", named: "getContract") { context, _, _ in context.health.contract() },
    page,
    anyone("/page/{file}", named: "getPageFile", namesOrigin: true) { context, exchange, _ in
      context.page.file(exchange)
    },

    admin(.get, "/devices", "listDevices", query: ["run", "limit", "cursor"]) { $0.devices.list },
    admin(.get, "/devices/{device}", "getDevice", query: ["run"]) { $0.devices.get },
    admin(.get, "/runs", "listRuns", query: ["run"]) { $0.traffic.listRuns },
    admin(.get, "/errors", "listErrors", query: ["run"]) { $0.traffic.listErrors },
    admin(.get, "/failures", "listFailures", query: ["run"]) { $0.traffic.listFailures },
    admin(.delete, "/devices/{device}", "deleteDevice", query: ["run"]) { $0.devices.delete },
    admin(.delete, "/devices", "deleteNamedDevice", query: ["run", "device"]) { $0.devices.deleteNamed },
    admin(
      .get, "/devices/{device}/locations", "listDeviceLocations",
      query: ["run", "from", "to", "limit", "cursor", "format", "shape"]
    ) { $0.locations.list },
    admin(.get, "/locations/latest", "listLatestLocations", query: ["run", "limit", "cursor", "format"]) {
      $0.locations.listLatest
    },
    admin(.post, "/devices/{device}/commands", "queueDeviceCommands", query: ["run"], at: .server) {
      $0.commands.queueForDevice
    },
    admin(.get, "/devices/{device}/commands", "listDeviceCommands", query: ["run", "limit", "cursor"], at: .server) {
      $0.commands.list
    },
    admin(.post, "/commands", "queueCommands", query: ["run"], at: .server) { $0.commands.queueForMany },
    admin(.put, "/devices/{device}/tags", "setDeviceTags", query: ["run"]) { $0.commands.setTags },
    admin(.get, "/faults", "listFaults", query: ["run"]) { $0.faults.list },
    admin(.put, "/faults", "putFaults", query: ["run", "counts"]) { $0.faults.put },
    admin(.delete, "/faults", "deleteFaults", query: ["run"]) { $0.faults.delete },
    admin(
      .get, "/requests", "listRequests",
      query: [
        "run", "device", "operation", "method", "status", "path", "fault", "text", "from", "to", "limit", "cursor",
        "order", "format",
      ]
    ) { $0.requests.list },
    admin(.get, "/ledger", "listSentRecords", query: ["run", "uuid", "device", "state", "limit", "cursor"], at: .proxy)
    {
      $0.ledger.list
    },
    admin(.get, "/clauses", "listClauses", query: [], at: .proxy) { $0.ledger.clauses },
    admin(.post, "/await", "awaitRecords", query: ["run"]) { $0.live.awaitRecords },
    admin(.post, "/verify", "verifyRecords", query: ["run", "from", "to"]) { $0.verification.verify },
    admin(.get, "/uuids", "listRecordIdentities", query: ["run", "device", "from", "to", "limit", "cursor"]) {
      $0.verification.listIdentities
    },
    admin(.get, "/quarantine", "listQuarantine", query: ["run", "device", "reason", "limit", "cursor"]) {
      $0.quarantine.list
    },
    admin(.get, "/quarantine/reasons", "countQuarantine", query: ["run", "device", "reason"]) { $0.quarantine.count },
    admin(.get, "/quarantine/{record}", "getQuarantined", query: []) { $0.quarantine.get },
    admin(.delete, "/quarantine", "clearQuarantine", query: ["run", "device", "reason"]) { $0.quarantine.clear },
    admin(.delete, "/quarantine/{record}", "deleteQuarantined", query: []) { $0.quarantine.delete },
    admin(.get, "/sinks", "listSinks", query: ["limit"]) { $0.sinks.list },
    admin(.get, "/devices/{device}/logs", "listDeviceLogs", query: ["run"], at: .server) { $0.logs.list },
    admin(.get, "/devices/{device}/logs/{log}", "getDeviceLog", query: ["run"], at: .server) { $0.logs.get },
    admin(.post, "/tokens/expire", "expireTokens", query: ["run"], at: .server) { $0.tokenAdministration.expire },
    admin(.post, "/tokens/revoke", "revokeTokens", query: ["run"], at: .server) { $0.tokenAdministration.revoke },
    admin(.post, "/tokens/rotate-keys", "rotateKeys", query: ["run"], readsBody: false, at: .server) {
      $0.identity.rotateKeys
    },
    admin(.put, "/tokens/break-refresh", "breakRefresh", query: ["run"], at: .server) {
      $0.tokenAdministration.breakRefresh
    },
    admin(.get, "/map", "getMap", query: ["run"]) { $0.maps.get },
    admin(.put, "/map", "putMap", query: ["run"]) { $0.maps.put },
    admin(.delete, "/map", "deleteMap", query: ["run"]) { $0.maps.delete },
    admin(.get, "/events", "streamEvents", query: ["run", "device"]) { $0.live.streamEvents },
    admin(.get, "/live", "streamLive", query: ["run"]) { $0.live.streamView },
    admin(.get, "/history", "listFigures", query: []) { $0.live.history },
    admin(.get, "/stats", "getStatistics", query: ["run"]) { $0.health.statistics },
    admin(.post, "/reset", "reset", query: ["run"], readsBody: false) { $0.resets.reset },
  ]
}
