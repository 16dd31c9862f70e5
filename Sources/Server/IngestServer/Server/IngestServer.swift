import Base
import Network
import Store

/// The ingestion server. Starts when it is made; `stop` finishes what clients have begun.
///
/// ```swift
/// var configuration = ServerConfiguration()
/// configuration.listen = "127.0.0.1:0"
/// configuration.data = ":memory:"
/// let server = try IngestServer(configuration)
/// defer { server.stop() }
/// let uploads = server.url + "/locations"
/// ```
public final class IngestServer: Sendable {
  private let writer: WriterThread
  private let readers: ReadPool
  private let custody: CommandCustody
  private let journal: JournalDesk?
  private let loops: LoopGroup<IngestSession>

  /// Opens the data folder, starts the threads, and listens.
  public init(_ configuration: ServerConfiguration) throws(ServerError) {
    if let problem = configuration.templateProblem { throw ServerError(configuration: problem) }
    let clock = SystemClock()
    var registry = MetricsRegistry()
    let custody = CommandCustody()
    self.custody = custody
    let post = PostOffice(custody)
    let hub = EventHub(epoch: clock.wallNow.millisecondsSince1970, post: { post.send($0) })
    let watch = NetworkWatch()
    let orders = OrderHorizon()
    let writerMetrics = WriterMetrics(in: &registry)
    let metrics = ServerMetrics(registry: &registry)
    let dropped = registry.counter(
      "rollingroad_journal_dropped_total", help: "Requests that came too fast to be written into the journal.")
    do {
      let storeConfiguration = configuration.store
      let writer = try WriterThread(metrics: writerMetrics, deliver: { post.deliver($0) }) { () throws(StoreError) in
        let timer = CommitTimer(writerMetrics.commitTime) { clock.monotonicNow }
        let store = try SQLiteStore(storeConfiguration, commitTimer: timer)
        if let reader = store.reader { try hub.tags.load(from: reader) }
        if let expiry = try store.reader?.lastOrderExpiry() { orders.extend(to: expiry) }
        return WatchedStore(store, hub: hub)
      }
      self.writer = writer
      let nobody = SessionAddress.nobody
      custody.open { job in
        // When the store is too busy, the ledger keeps saying that they were sent.
        _ = writer.submit(job, ticket: Ticket(owner: nobody.loop, number: nobody.connection))
      }
      let readers =
        storeConfiguration.isInMemory ? ReadPool(through: writer) : try ReadPool(folder: storeConfiguration.folder)
      self.readers = readers
      let journal = try IngestServer.openJournal(configuration, dropped) { post.send($0, to: $1) }
      self.journal = journal
      let context = ServerContext(
        configuration, signingKey: try IngestServer.signingKey(storeConfiguration), metrics: metrics,
        registry: registry,
        custody: custody, wallNow: { clock.wallNow },
        submit: { job, address in
          writer.submit(job, ticket: Ticket(owner: address.loop, number: address.connection))
        },
        ask: { question, address in readers.ask { post.send(question($0), to: address) } },
        probes: ServerProbes(
          outage: { writer.outage }, network: { watch.figures }, isFull: { writer.isFull },
          waitingJobs: { Int(writerMetrics.mailboxJobs.value) }),
        hub: hub,
        journal: journal, orders: orders)
      loops = try LoopGroup(configuration.network, on: ListenAddress(parsing: configuration.listen)) {
        number, mailbox in
        post.open(mailbox, of: number)
        let scratch = SessionScratch()
        return { accepted in
          let address = SessionAddress(loop: number, connection: accepted.token.word)
          return IngestSession(context, scratch: scratch, address: address, isLocal: accepted.peer.isLoopback)
        }
      }
      watch.watch(loops)
    } catch let error as StoreError {
      throw ServerError(error)
    } catch let error as NetworkError {
      throw ServerError(error)
    } catch {
      preconditionFailure("only the store and the network can refuse: \(error)")
    }
  }

  /// `http://127.0.0.1:8080`, with the port that the kernel chose.
  public var url: String { "http://\(loops.address)" }

  /// The port that clients connect to.
  public var port: UInt16 { loops.address.port }

  /// Takes no new connections, finishes the requests that have begun, commits, and closes. What is not done after
  /// `seconds` is cut.
  public func stop(within seconds: Int = 5) {
    loops.drain(within: .seconds(Int64(seconds)))
    loops.wait()
    closeStore()
  }

  func serve(until signals: SignalWatcher) {
    _ = loops.run(until: signals, drainWithin: .seconds(5))
    closeStore()
  }

  private func closeStore() {
    readers.stop()
    writer.stop()
    custody.close()
    journal?.stop()
  }

  /// Nil when nothing is to be written down.
  private static func openJournal(
    _ configuration: ServerConfiguration, _ dropped: Counter,
    post: @escaping @Sendable (SessionMessage, SessionAddress) -> Void
  ) throws(StoreError) -> JournalDesk? {
    guard configuration.journalShare > 0 else { return nil }
    let writer = try JournalWriter(folder: configuration.data, dropped: dropped)
    return JournalDesk(writer, share: configuration.journalShare, seed: 0, post: post)
  }

  private static func signingKey(_ store: StoreConfiguration) throws(StoreError) -> [UInt8] {
    let make = { Cryptography.randomBytes(32) }
    return store.isInMemory ? make() : try SecretFile.read("token.key", in: store.folder, count: 32, make: make)
  }
}
