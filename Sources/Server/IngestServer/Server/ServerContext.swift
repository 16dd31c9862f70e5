package import Base
import Contract
package import Store
import Synchronization

/// Asked of the store on a thread of its readers; what it returns is sent to the session.
package typealias StoreQuestion = @Sendable (StoreReader) -> SessionMessage

/// What all sessions of a server share: what was chosen, who checks tokens, and where jobs go. Little in it
/// changes while the server runs; what must be consistent belongs to the store's writer.
package final class ServerContext: Sendable {
  let configuration: ServerConfiguration
  let tokens: AccessTokenCodec
  let router = Router()
  let envelopes: EnvelopeReader
  let records: RecordDecoder
  let metrics: ServerMetrics
  let registry: MetricsRegistry
  let custody: CommandCustody
  let orders: OrderHorizon
  /// Locked for the moment of a refresh, which is a rare request.
  let refreshThrottle = Mutex(RefreshThrottle())
  let refreshBreakages = Mutex(RefreshBreakages())
  let faults = FaultBoard()
  let refusals = RefusalBook()
  let maps = MapBoard()
  let bodies: BodyBudget
  let hub: EventHub
  /// Nil when nothing is written down.
  let journal: JournalDesk?
  let wallNow: @Sendable () -> WallInstant
  /// Hands a job to the store's writer; false when it has more than it can take. The result comes back to the address.
  let submit: @Sendable (StoreJob, SessionAddress) -> Bool
  /// Puts a question to a reader of the store; false when too many wait. What it returns comes back to the address, before
  /// or after this call returns.
  let ask: @Sendable (@escaping StoreQuestion, SessionAddress) -> Bool
  let probes: ServerProbes
  let site: PageSite

  package init(
    _ configuration: ServerConfiguration, signingKey: [UInt8], metrics: ServerMetrics, registry: MetricsRegistry,
    custody: CommandCustody = CommandCustody(), wallNow: @escaping @Sendable () -> WallInstant,
    submit: @escaping @Sendable (StoreJob, SessionAddress) -> Bool,
    ask: @escaping @Sendable (@escaping StoreQuestion, SessionAddress) -> Bool, probes: ServerProbes = ServerProbes(),
    hub: EventHub = EventHub(epoch: 0, post: { _ in }), journal: JournalDesk? = nil,
    orders: OrderHorizon = OrderHorizon()
  ) {
    self.configuration = configuration
    tokens = AccessTokenCodec(
      key: signingKey, clockSkewAllowedMilliseconds: Int64(configuration.clockSkewSeconds) * 1_000)
    let templates: [TemplateSchema]
    do throws(FieldError) { templates = try configuration.templates() } catch {
      preconditionFailure("the templates were not looked at before: \(error)")
    }
    envelopes = EnvelopeReader(rootProperty: configuration.rootProperty, templates: templates)
    records = RecordDecoder(templates: templates)
    self.metrics = metrics
    self.registry = registry
    self.custody = custody
    self.orders = orders
    bodies = BodyBudget(limit: max(configuration.bodyMemoryMax, configuration.bodyBytesMax))
    self.wallNow = wallNow
    self.submit = submit
    self.ask = ask
    self.hub = hub
    self.journal = journal
    self.probes = probes
    site = PageSite(tiles: configuration.tiles)
  }
}
