package import Base
import Contract
import HTTP1
package import Store

/// A question to the store, put on a thread of its readers; what it returns is sent to the session.
package typealias StoreQuestion = @Sendable (StoreReader) -> SessionMessage

/// What all sessions of a server share: its features, and where jobs go. What must be consistent belongs to the store's
/// writer.
package final class ServerContext: Sendable {
  let limits: HTTPLimits
  let reader: RequestReader
  let metrics: ServerMetrics
  let undelivered: UndeliveredCommands
  let latestExpiry: LatestCommandExpiry
  let refusals = RefusalLog()
  let shortfall: Shortfall
  let bodies: BodyBudget
  let hub: EventHub
  /// Nil when no request is recorded.
  let journal: JournalRecorder?
  let backend: any ServerBackend

  let uploads: UploadHandlers
  let logs: LogHandlers
  let tokens: TokenHandlers
  let tokenAdministration: TokenAdministration
  let commands: CommandHandlers
  let faults: FaultHandlers
  let health: HealthHandlers
  let devices: DeviceHandlers
  let traffic: TrafficHandlers
  let locations = LocationHandlers()
  let quarantine = QuarantineHandlers()
  let verification: VerificationHandlers
  let requests: JournalHandlers
  let resets: ResetHandlers
  let live: LiveHandlers
  let maps: MapHandlers
  let page: PageHandlers

  package init(
    _ configuration: ServerConfiguration, signingKey: [UInt8], metrics: ServerMetrics, registry: MetricsRegistry,
    backend: any ServerBackend, hub: EventHub, undelivered: UndeliveredCommands = UndeliveredCommands(),
    journal: JournalRecorder? = nil, latestExpiry: LatestCommandExpiry = LatestCommandExpiry()
  ) {
    limits = configuration.http
    self.metrics = metrics
    self.undelivered = undelivered
    self.latestExpiry = latestExpiry
    self.hub = hub
    self.journal = journal
    self.backend = backend
    bodies = BodyBudget(limit: max(configuration.bodyMemoryMax, configuration.bodyBytesMax))
    shortfall = Shortfall(backend: backend, refusals: refusals)
    let (router, authentication) = (Router(), configuration.authentication)
    let (board, map, checks) = (FaultBoard(), MapBoard(), RefreshChecks())
    let traffic = TrafficBoard()
    self.traffic = TrafficHandlers(board: traffic, faults: board)
    devices = DeviceHandlers(traffic: traffic, tags: hub.tags)
    reader = RequestReader(
      router: router, limits: limits, access: AdminAccess(token: configuration.adminToken), journal: journal,
      backend: backend)
    let codec = AccessTokenCodec(
      key: signingKey, clockSkewAllowedMilliseconds: Int64(configuration.clockSkewSeconds) * 1_000)
    uploads = UploadHandlers(
      authenticator: Authenticator(mode: authentication, codec: codec), reader: UploadReader(configuration),
      metrics: metrics, policy: configuration.policy)
    logs = LogHandlers(key: configuration.logKey, limits: limits)
    tokens = TokenHandlers(
      codec: codec, checks: checks, accessSeconds: configuration.accessSeconds,
      refreshSeconds: configuration.refreshSeconds, limits: limits)
    tokenAdministration = TokenAdministration(authentication: authentication, checks: checks)
    commands = CommandHandlers(policy: configuration.policy, latestExpiry: latestExpiry)
    faults = FaultHandlers(board: board, hub: hub, metrics: metrics)
    health = HealthHandlers(registry: registry, backend: backend)
    verification = VerificationHandlers(shortfall: shortfall, hasJournal: journal != nil)
    requests = JournalHandlers(hasJournal: journal != nil, router: router)
    resets = ResetHandlers(
      faults: board, maps: map, checks: checks, refusals: refusals, traffic: traffic, hasJournal: journal != nil)
    live = LiveHandlers(
      authentication: authentication, policy: configuration.policy, hasJournal: journal != nil, metrics: metrics,
      backend: backend, maps: map)
    maps = MapHandlers(board: map)
    page = PageHandlers(tiles: configuration.tiles)
    // When the store is too busy, the ledger keeps saying that they were sent.
    undelivered.open { _ = backend.submit($0, for: .discarded) }
  }

  /// What devices send would be refused by the store at the moment. Administration is let through, so that an operator can
  /// find out what is wrong.
  func isOverloaded(for route: Route) -> Bool { route.deviceOperation != nil && backend.isFull }

  /// The store has done what a reply asked for.
  func reply(_ continuation: Continuation, _ result: StoreResult) -> Reply {
    switch continuation {
    case .upload(let device): .answer(uploads.uploaded(result, device))
    case .commands(let response): .answer(response.carrying(result))
    case .then(let next): next(result)
    }
  }
}
