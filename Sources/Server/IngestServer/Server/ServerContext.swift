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
  let wallNow: @Sendable () -> WallInstant
  /// Hands a job to the store's writer; false when it has more than it can take. The result comes back to the address.
  let submit: @Sendable (StoreJob, SessionAddress) -> Bool
  /// Puts a question to a reader of the store; false when too many wait. What it returns comes back to the address, before
  /// or after this call returns.
  let ask: @Sendable (@escaping StoreQuestion, SessionAddress) -> Bool
  let probes: ServerProbes

  let uploads: UploadHandlers
  let logs: LogHandlers
  let tokens: TokenHandlers
  let tokenAdministration: TokenAdministration
  let commands: CommandHandlers
  let faults: FaultHandlers
  let health: HealthHandlers
  let devices = DeviceHandlers()
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
    undelivered: UndeliveredCommands = UndeliveredCommands(), wallNow: @escaping @Sendable () -> WallInstant,
    submit: @escaping @Sendable (StoreJob, SessionAddress) -> Bool,
    ask: @escaping @Sendable (@escaping StoreQuestion, SessionAddress) -> Bool, probes: ServerProbes = ServerProbes(),
    hub: EventHub = EventHub(epoch: 0, post: { _ in }), journal: JournalRecorder? = nil,
    latestExpiry: LatestCommandExpiry = LatestCommandExpiry()
  ) {
    limits = configuration.http
    self.metrics = metrics
    self.undelivered = undelivered
    self.latestExpiry = latestExpiry
    self.hub = hub
    self.journal = journal
    self.wallNow = wallNow
    self.submit = submit
    self.ask = ask
    self.probes = probes
    bodies = BodyBudget(limit: max(configuration.bodyMemoryMax, configuration.bodyBytesMax))
    shortfall = Shortfall(probes: probes, refusals: refusals)
    let (router, authentication) = (Router(), configuration.authentication)
    let (board, map, checks) = (FaultBoard(), MapBoard(), RefreshChecks())
    reader = RequestReader(
      router: router, limits: limits, access: AdminAccess(token: configuration.adminToken), journal: journal,
      wallNow: wallNow)
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
    health = HealthHandlers(registry: registry, probes: probes)
    verification = VerificationHandlers(shortfall: shortfall)
    requests = JournalHandlers(hasJournal: journal != nil, router: router)
    resets = ResetHandlers(
      faults: board, maps: map, checks: checks, refusals: refusals, hasJournal: journal != nil)
    live = LiveHandlers(
      authentication: authentication, policy: configuration.policy, hasJournal: journal != nil, metrics: metrics,
      probes: probes, maps: map, wallNow: wallNow)
    maps = MapHandlers(board: map)
    page = PageHandlers(tiles: configuration.tiles)
  }

  /// The next request meets this fault, whatever the rules say; with nil the rules decide.
  package func spoilNext(_ fault: ServerFault?) { faults.board.direct(fault) }

  /// What devices send would be refused by the store at the moment. Administration is let through, so that an operator can
  /// find out what is wrong.
  func isOverloaded(for route: Route) -> Bool { route.deviceOperation != nil && probes.isFull() }

  /// The store has done what a reply asked for.
  func reply(_ continuation: Continuation, _ result: StoreResult) -> Reply {
    switch continuation {
    case .upload(let device): .answer(uploads.uploaded(result, device))
    case .commands(let response): .answer(response.carrying(result))
    case .then(let next): next(result)
    }
  }
}
