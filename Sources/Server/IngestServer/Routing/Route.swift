import HTTP1

/// One path of the server with the operations that its methods mean.
struct Route: Sendable {
  /// A piece of a path: text as it stands, a parameter, or whatever follows.
  enum Piece: Equatable, Sendable {
    case text(String)
    case parameter
    case rest
  }

  let pieces: [Piece]
  let operations: [(methods: [HTTPMethod], operation: Operation)]

  /// `/admin/v1/devices/{id}`; a last piece `**` takes one or more segments of any kind,
  /// of which the first is a parameter.
  init(_ pattern: String, _ operations: ([HTTPMethod], Operation)...) {
    pieces = pattern.split(separator: "/").map { piece in
      if piece == "**" { .rest } else if piece.hasPrefix("{") { .parameter } else { .text(String(piece)) }
    }
    self.operations = operations.map { (methods: $0.0, operation: $0.1) }
  }
}

extension Route {
  private static let uploads: [HTTPMethod] = [.post, .put, .patch]

  /// The order matters only where a pattern with `**` would take what another one names.
  static let all: [Route] = [
    Route("/locations", (uploads, .uploadLocations)),
    Route("/locations/{org}", (uploads, .uploadLocations)),
    Route("/api/locations", (uploads, .uploadLocations)),
    Route("/v2/locations", (uploads, .uploadLocations)),
    Route("/ingest/**", (uploads, .uploadLocations)),
    Route("/api/register", ([.post], .registerDevice)),
    Route("/v2/register", ([.post], .registerDevice)),
    Route("/api/jwt/register", ([.post], .registerDevice)),
    Route("/api/refresh_token", ([.post], .refreshToken)),
    Route("/v2/refresh_token", ([.post], .refreshToken)),
    Route("/logs/{device}", ([.post], .uploadDeviceLog)),
    Route("/", ([.get], .getPage)),
    Route("/page/{file}", ([.get], .getPageFile)),
    Route("/healthz", ([.get], .getHealth)),
    Route("/readyz", ([.get], .getReadiness)),
    Route("/metrics", ([.get], .getMetrics)),
    Route("/openapi.json", ([.get], .getContract)),
    Route("/admin/v1/devices", ([.get], .listDevices)),
    Route("/admin/v1/devices/{id}", ([.get], .getDevice), ([.delete], .deleteDevice)),
    Route("/admin/v1/devices/{id}/locations", ([.get], .listDeviceLocations)),
    Route("/admin/v1/devices/{id}/commands", ([.get], .listDeviceCommands), ([.post], .queueDeviceCommands)),
    Route("/admin/v1/devices/{id}/tags", ([.put], .setDeviceTags)),
    Route("/admin/v1/devices/{id}/logs", ([.get], .listDeviceLogs)),
    Route("/admin/v1/devices/{id}/logs/{log}", ([.get], .getDeviceLog)),
    Route("/admin/v1/locations/latest", ([.get], .listLatestLocations)),
    Route("/admin/v1/commands", ([.post], .queueCommands)),
    Route("/admin/v1/faults", ([.get], .listFaults), ([.put], .putFaults), ([.delete], .deleteFaults)),
    Route("/admin/v1/map", ([.get], .getMap), ([.put], .putMap), ([.delete], .deleteMap)),
    Route("/admin/v1/requests", ([.get], .listRequests)),
    Route("/admin/v1/await", ([.post], .awaitRecords)),
    Route("/admin/v1/verify", ([.post], .verifyRecords)),
    Route("/admin/v1/uuids", ([.get], .listRecordIdentities)),
    Route("/admin/v1/quarantine", ([.get], .listQuarantine), ([.delete], .clearQuarantine)),
    Route("/admin/v1/quarantine/reasons", ([.get], .countQuarantine)),
    Route("/admin/v1/quarantine/{record}", ([.get], .getQuarantined), ([.delete], .deleteQuarantined)),
    Route("/admin/v1/tokens/expire", ([.post], .expireTokens)),
    Route("/admin/v1/tokens/revoke", ([.post], .revokeTokens)),
    Route("/admin/v1/tokens/break-refresh", ([.put], .breakRefresh)),
    Route("/admin/v1/events", ([.get], .streamEvents)),
    Route("/admin/v1/live", ([.get], .streamLive)),
    Route("/admin/v1/stats", ([.get], .getStatistics)),
    Route("/admin/v1/reset", ([.post], .reset)),
  ]
}
