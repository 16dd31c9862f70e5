import Base
import Contract
import HTTP1
import PostgresStore
package import Store

/// A question to the store, run on a reader's thread; its result is sent to the session.
package typealias StoreQuestion = @Sendable (any StoreReader) -> SessionMessage

/// The state that all sessions of a server share: its handlers, and the backend that takes jobs. State that must be consistent
/// belongs to the store's writer.
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
  let boards: SharedBoards
  /// The recorder; nil when no requests are recorded.
  let journal: JournalRecorder?
  let backend: any ServerBackend

  let uploads: UploadHandlers
  let logs: LogHandlers
  let tokens: TokenHandlers
  let identity: IdentityHandlers
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
  let ledger: LedgerHandlers
  /// The proxy that it administers; nil for a server of its own.
  let proxy: ProxyRole?
  let resets: ResetHandlers
  let live: LiveHandlers
  let maps: MapHandlers
  let page: PageHandlers
  let sinks: SinkHandlers

  init(
    _ configuration: ServerConfiguration, keys: TokenKeys, metrics: ServerMetrics, registry: MetricsRegistry,
    backend: any ServerBackend, hub: EventHub, undelivered: UndeliveredCommands = UndeliveredCommands(),
    journal: JournalRecorder? = nil, latestExpiry: LatestCommandExpiry = LatestCommandExpiry(),
    forwards: ForwarderSet = ForwarderSet(), documents: SharedDocuments? = nil
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
    let authentication = configuration.authentication
    let (board, map, checks) = (FaultBoard(), MapBoard(), RefreshChecks())
    let traffic = TrafficBoard()
    let reach = HandshakeFaultScope(configuration.tls)
    let boards = SharedBoards(board, map, reach, documents)
    self.boards = boards
    self.traffic = TrafficHandlers(board: traffic, faults: board)
    devices = DeviceHandlers(traffic: traffic, tags: hub.tags)
    reader = RequestReader(
      router: Router(), limits: limits, access: AdminAccess(token: configuration.adminToken),
      certificates: configuration.tls?.certificatesFor, journal: journal,
      backend: backend, proxy: configuration.proxy)
    uploads = UploadHandlers(
      authenticator: Authenticator(configuration, keys), reader: UploadReader(configuration), metrics: metrics,
      policy: configuration.policy)
    logs = LogHandlers(key: configuration.logKey, limits: limits)
    tokens = TokenHandlers(configuration, keys, checks)
    identity = IdentityHandlers(tokens: tokens)
    tokenAdministration = TokenAdministration(authentication: authentication, checks: checks)
    commands = CommandHandlers(policy: configuration.policy, latestExpiry: latestExpiry)
    faults = FaultHandlers(board: board, shared: boards, hub: hub, metrics: metrics, reach: reach)
    health = HealthHandlers(registry: registry, backend: backend, forwards: forwards)
    sinks = SinkHandlers(forwarders: forwards)
    verification = VerificationHandlers(shortfall: shortfall, hasJournal: journal != nil)
    requests = JournalHandlers(
      hasJournal: journal != nil, routes: RecordedRoutes(isOfProxy: configuration.proxy != nil))
    proxy = configuration.proxy
    ledger = LedgerHandlers(proxy: configuration.proxy, hasJournal: journal != nil)
    resets = ResetHandlers(
      shared: boards, checks: checks, refusals: refusals, traffic: traffic, hasJournal: journal != nil,
      proxy: configuration.proxy)
    live = LiveHandlers(
      authentication: authentication, policy: configuration.policy, hasJournal: journal != nil, metrics: metrics,
      backend: backend, maps: map)
    maps = MapHandlers(board: map, shared: boards)
    page = PageHandlers(
      tiles: configuration.tiles,
      trust: configuration.tls?.authority(in: configuration.place.ownFolder).map { TrustPage(authority: $0) })
    // When the store is too busy for this job, the ledger keeps the commands as sent.
    undelivered.open { _ = backend.submit($0, for: .discarded) }
  }

  /// Whether the store would refuse a device's request now. Administrative requests pass, so that an operator can diagnose
  /// the problem.
  func isOverloaded(for route: Route) -> Bool { route.deviceOperation != nil && backend.isFull }

  /// Counts, shows and records a finished answer.
  /// `records` are those that a proxy has passed on with the request.
  func note(
    _ exchange: Exchange, _ response: Response, sent records: [LedgerRecord] = [], now: MonotonicInstant
  ) {
    live.sampleFigures(at: exchange.receivedAt.millisecondsSince1970 + (now - exchange.begunAt).wholeMilliseconds)
    traffic.board.note(exchange, response)
    metrics.answered(exchange, status: response.status, after: now - exchange.begunAt)
    tellViewers(exchange, response)
    if response.status >= 400 || exchange.fault != nil { refusals.note(exchange, response) }
    guard let journal else { return }
    let elapsed = (now - exchange.begunAt).count / 1_000
    let entry = exchange.draft.map { $0.entry(exchange, response, durationMicroseconds: elapsed) }
    if entry != nil || !records.isEmpty { journal.record(entry, sent: records) }
    if entry != nil { hub.requestAnswered(run: exchange.run, device: exchange.device) }
  }

  private func tellViewers(_ exchange: Exchange, _ response: Response) {
    let isOfDevice = exchange.route.deviceOperation != nil && !exchange.device.isEmpty
    guard hub.board.hasViewers, isOfDevice else { return }
    let device = DeviceIdentity(run: exchange.run, name: exchange.device)
    hub.board.answered(
      device, status: response.status, exchange.fault?.fault.kind,
      failures: traffic.board.failure(of: device)?.count ?? 0,
      at: exchange.receivedAt.millisecondsSince1970)
  }

  /// Returns the reply that follows a completed job.
  func reply(_ continuation: Continuation, _ result: StoreResult) -> Reply {
    switch continuation {
    case .upload(let device): .answer(uploads.uploaded(result, device))
    case .commands(let response): .answer(response.carrying(result))
    case .then(let next): next(result)
    }
  }
}
