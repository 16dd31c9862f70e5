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
  public convenience init(_ configuration: ServerConfiguration) throws(ServerError) {
    try self.init(configuration, notify: { _ in })
  }

  /// `notify` hears, from any thread, what the operator of the server has to know.
  package init(
    _ configuration: ServerConfiguration, notify: @escaping @Sendable (ServerNotice) -> Void
  ) throws(ServerError) {
    try IngestServer.check(configuration)
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
      let lostStore = storeConfiguration.isInMemory ? nil : FolderSurvey.lostStore(in: storeConfiguration.folder)
      let writer = try WriterThread(
        metrics: writerMetrics, deliver: { post.deliver($0) }, outageChanged: { notify(.outage($0)) }
      ) { () throws(StoreError) in
        let timer = CommitTimer(writerMetrics.commitTime) { clock.monotonicNow }
        return try IngestServer.openStore(storeConfiguration, timer, hub, orders)
      }
      self.writer = writer
      if let lostStore { notify(.storeIsNew(reason: lostStore)) }
      let nobody = SessionAddress.nobody
      custody.open { job in
        // When the store is too busy, the ledger keeps saying that they were sent.
        _ = writer.submit(job, ticket: Ticket(owner: nobody.loop, number: nobody.connection))
      }
      let readers =
        storeConfiguration.isInMemory ? ReadPool(through: writer) : try ReadPool(folder: storeConfiguration.folder)
      self.readers = readers
      let journal = try IngestServer.openJournal(configuration, dropped, notify) { post.send($0, to: $1) }
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

  /// What can be said before a folder is made for a server that will not be.
  private static func check(_ configuration: ServerConfiguration) throws(ServerError) {
    if let problem = configuration.templateProblem { throw ServerError(configuration: problem) }
    do throws(NetworkError) { try ListenAddress(parsing: configuration.listen).refuseWhenTaken() } catch {
      throw ServerError(error)
    }
  }

  private static func openStore(
    _ configuration: StoreConfiguration, _ timer: CommitTimer, _ hub: EventHub, _ orders: OrderHorizon
  ) throws(StoreError) -> any Store {
    let store = try SQLiteStore(configuration, commitTimer: timer)
    if let reader = store.reader {
      try hub.tags.load(from: reader)
      if let expiry = try reader.lastOrderExpiry() { orders.extend(to: expiry) }
    }
    return WatchedStore(store, hub: hub)
  }

  /// Nil when nothing is to be written down.
  private static func openJournal(
    _ configuration: ServerConfiguration, _ dropped: Counter, _ notify: (ServerNotice) -> Void,
    post: @escaping @Sendable (SessionMessage, SessionAddress) -> Void
  ) throws(StoreError) -> JournalDesk? {
    guard configuration.journalShare > 0 else { return nil }
    let writer: JournalWriter
    do throws(StoreError) {
      writer = try JournalWriter(folder: configuration.data, dropped: dropped)
    } catch {
      // It holds no records: the server can do without it.
      guard error.code == .foreignFile || error.code == .damaged,
        let path = FolderSurvey.setJournalAside(in: configuration.data)
      else { throw error }
      writer = try JournalWriter(folder: configuration.data, dropped: dropped)
      notify(.journalSetAside(path, reason: error.code == .foreignFile ? "it was no journal" : error.message))
    }
    return JournalDesk(writer, share: configuration.journalShare, seed: 0, post: post)
  }

  private static func signingKey(_ store: StoreConfiguration) throws(StoreError) -> [UInt8] {
    let make = { Cryptography.randomBytes(32) }
    return store.isInMemory ? make() : try SecretFile.read("token.key", in: store.folder, count: 32, make: make)
  }
}
