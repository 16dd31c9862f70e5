import Base
import Network
import Shell
import Store
import TLS

/// The ingestion server. It starts in `init`; `stop` completes the requests in progress.
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
  private let undelivered: UndeliveredCommands
  private let journal: JournalRecorder?
  private let forwards: ForwarderSet
  /// The feed of a shared store; nil for a store of its own.
  private let feed: NodeFeed?
  private let foreignKeys: (any KeyFinder)?
  /// Locked by this process.
  private let ownFolder: DataFolder?
  let context: ServerContext
  let backend: ThreadedBackend
  let loops: LoopGroup<IngestSession>

  /// Opens the data folder, starts the threads, and listens.
  public convenience init(_ configuration: ServerConfiguration) throws(ServerError) {
    try self.init(configuration, notify: { _ in })
  }

  /// `notify` is called on any thread with notices for the operator.
  package init(
    _ configuration: ServerConfiguration, notify: @escaping @Sendable (ServerNotice) -> Void
  ) throws(ServerError) {
    try IngestServer.check(configuration)
    let clock = SystemClock()
    var registry = MetricsRegistry()
    let parts = SharedParts(isFed: configuration.place.isShared, now: clock.wallNow)
    let (undelivered, dispatcher) = (parts.undelivered, parts.dispatcher)
    (self.undelivered, forwards) = (undelivered, parts.forwards)
    let writerMetrics = WriterMetrics(in: &registry)
    let metrics = ServerMetrics(registry: &registry)
    // A thread does not end when its reference is dropped, and the writer's holds the folder: when a later part fails,
    // everything started is stopped.
    var started: [() -> Void] = []
    do {
      let place = configuration.place
      let board = configuration.forwards.isEmpty ? nil : ArrivalBoard()
      let (lostStore, lostKey) = (place.lostStore, place.lostKey)
      ownFolder = try place.takeOwnFolder()
      let writer = try parts.startWriter(configuration, board, writerMetrics, metrics, notify)
      self.writer = writer
      started.append { writer.stop() }
      if let lostStore { notify(.storeIsNew(reason: lostStore)) }
      if let lostKey { notify(.keyIsNew(reason: lostKey)) }
      let readers = try place.openReaders(beside: writer)
      self.readers = readers
      started.append { readers.stop() }
      let journal = try IngestServer.openJournal(configuration, &registry, notify) { dispatcher.send($0, to: $1) }
      self.journal = journal
      started.append { journal?.stop() }
      let foreignKeys = try IngestServer.openKeys(configuration, notify)
      self.foreignKeys = foreignKeys
      started.append { foreignKeys?.stop() }
      let backend = ThreadedBackend(writer, readers, dispatcher, mailbox: writerMetrics.mailboxJobs)
      let keys = TokenKeys(
        own: try place.signingKey(), issuer: try configuration.issuer(at: clock.wallNow, in: place.identityKeys),
        foreign: foreignKeys)
      let context = ServerContext(
        configuration, keys: keys, metrics: metrics, registry: registry, backend: backend, hub: parts.hub,
        undelivered: undelivered, journal: journal, latestExpiry: parts.latestExpiry, forwards: parts.forwards,
        documents: place.documents)
      var network = configuration.network
      network.secure = try configuration.tls?.listening(
        in: place.ownFolder, applying: context.faults, notify: notify)
      loops = try LoopGroup(network, on: ListenAddress(parsing: configuration.listen)) { number, mailbox, peers in
        dispatcher.open(mailbox, of: number)
        peers.missed = { token, _ in undelivered.missed(at: SessionAddress(loop: number, connection: token.word)) }
        return IngestServer.sessions(of: context, loop: number)
      }
      (self.context, self.backend) = (context, backend)
      started.append { [loops] in IngestServer.end(loops, within: .seconds(0)) }
      backend.watch(loops)
      let feed = place.openFeed(parts.hub, context.boards, parts.latestExpiry, board, keys.issuer?.ring)
      self.feed = feed
      started.append { feed?.stop() }
      let leadership = place.leadership(of: "\(HostName.value):\(loops.address.port)")
      if let board { try parts.forwards.start(configuration.forwards, board, readers, writer, by: leadership, notify) }
    } catch {
      for stop in started.reversed() { stop() }
      throw ServerError(starting: error)
    }
  }

  /// `http://127.0.0.1:8080`, with the port that the kernel chose.
  public var url: String { "http://\(loops.address)" }

  /// The URL of the TLS port; nil without TLS.
  public var secureURL: String? { loops.secureAddress.map { "https://\($0)" } }

  /// The port of plain HTTP.
  public var port: UInt16 { loops.address.port }

  /// The port of TLS; nil without TLS.
  public var securePort: UInt16? { loops.secureAddress?.port }

  /// Stops accepting connections, completes the requests in progress, commits, and closes. Whatever is unfinished after
  /// `seconds` is aborted.
  public func stop(within seconds: Int = 5) {
    IngestServer.end(loops, within: .seconds(Int64(seconds)))
    closeStore()
  }

  private static func end(_ loops: LoopGroup<IngestSession>, within time: Nanoseconds) {
    loops.drain(within: time)
    loops.wait()
  }

  func serve(until signals: SignalWatcher) {
    _ = loops.run(until: signals, drainWithin: .seconds(5))
    closeStore()
  }

  private func closeStore() {
    feed?.stop()
    forwards.stop()
    readers.stop()
    writer.stop()
    undelivered.close()
    journal?.stop()
    foreignKeys?.stop()
  }

  /// Fails before a data folder is made, where possible.
  private static func check(_ configuration: ServerConfiguration) throws(ServerError) {
    if let problem = configuration.templateProblem { throw ServerError(configuration: problem) }
    if configuration.foreignIssuer != nil, configuration.authentication == .off {
      throw ServerError(configuration: "tokens of a foreign issuer are checked with --auth optional or required only")
    }
    do throws(NetworkError) {
      try ListenAddress(parsing: configuration.listen).refuseWhenTaken()
    } catch {
      throw ServerError(error)
    }
    try configuration.tls?.check()
  }

  /// Returns the session factory of a loop.
  private static func sessions(of context: ServerContext, loop: Int) -> (Accepted) -> IngestSession {
    let scratch = SessionScratch()
    return { accepted in
      let caller = ConnectedCaller(
        isLocal: accepted.peer.isLoopback, isSecure: accepted.tls != nil,
        hasCertificate: accepted.tls?.hasClientCertificate ?? false)
      let address = SessionAddress(loop: loop, connection: accepted.token.word)
      return IngestSession(context, scratch: scratch, address: address, caller: caller)
    }
  }

  /// Returns nil when no requests are recorded.
  private static func openJournal(
    _ configuration: ServerConfiguration, _ registry: inout MetricsRegistry, _ notify: (ServerNotice) -> Void,
    post: @escaping @Sendable (SessionMessage, SessionAddress) -> Void
  ) throws(StoreError) -> JournalRecorder? {
    let dropped = registry.counter(
      "rollingroad_journal_dropped_total",
      help: "Requests dropped from the journal because it could not be written, or not fast enough.")
    guard configuration.journalShare > 0 else { return nil }
    let place = configuration.place
    let writer: JournalWriter
    do throws(StoreError) {
      writer = try place.openJournal(dropped)
    } catch {
      // The journal holds no records of devices: the server can start without it.
      guard error.code == .foreignFile || error.code == .damaged,
        let path = place.ownFolder.flatMap({ FolderSurvey.setJournalAside(in: $0) })
      else { throw error }
      writer = try place.openJournal(dropped)
      notify(.journalSetAside(path, reason: error.code == .foreignFile ? "it was not a journal" : error.message))
    }
    return JournalRecorder(writer, share: configuration.journalShare, seed: 0, post: post)
  }

  /// Returns nil without a foreign issuer.
  private static func openKeys(
    _ configuration: ServerConfiguration, _ notify: @escaping @Sendable (ServerNotice) -> Void
  ) throws(ServerError) -> (any KeyFinder)? {
    do throws(KeySetError) {
      return try configuration.foreignIssuer?.keys.open { notify(.issuerKeys($0)) }
    } catch {
      throw ServerError(configuration: "the keys of the foreign issuer: \(error)")
    }
  }
}

/// The parts of a server that its threads share and that have no thread of their own.
private struct SharedParts {
  let undelivered = UndeliveredCommands()
  let forwards = ForwarderSet()
  let latestExpiry = LatestCommandExpiry()
  let dispatcher: ResultDispatcher
  let hub: EventHub

  /// `isFed`: a feed reports the records of all servers of the store.
  init(isFed: Bool, now: WallInstant) {
    let dispatcher = ResultDispatcher(undelivered, forwards)
    self.dispatcher = dispatcher
    hub = EventHub(epoch: now.millisecondsSince1970, isFed: isFed, post: { dispatcher.send($0) })
  }

  /// Starts the writer, which opens the store on its thread.
  func startWriter(
    _ configuration: ServerConfiguration, _ board: ArrivalBoard?, _ metrics: WriterMetrics,
    _ serverMetrics: ServerMetrics, _ notify: @escaping @Sendable (ServerNotice) -> Void
  ) throws(StoreError) -> WriterThread {
    let (clock, place) = (SystemClock(), configuration.place)
    return try WriterThread(
      metrics: metrics, deliver: { [dispatcher] in dispatcher.deliver($0) },
      outageChanged: { notify(.outage($0, detail: $1)) }
    ) { [hub, latestExpiry] () throws(StoreError) in
      let timer = CommitTimer(metrics.commitTime) { clock.monotonicNow }
      let watch = CommitWatch(serverMetrics, countsReceipts: configuration.proxy != nil, notify: notify)
      let (store, reader) = try place.openStore(timer, board, notify)
      // The parts of the store that the server keeps in memory.
      if let reader {
        try hub.tags.load(from: reader)
        if let expiry = try reader.lastOrderExpiry() { latestExpiry.extend(to: expiry) }
      }
      return WatchedStore(store, hub: hub, watch)
    }
  }
}

extension IngestServer {
  /// Serves until SIGTERM or SIGINT; a second signal stops it at once. `isReady` is called with the URL when clients can
  /// connect.
  ///
  /// Call it on the main thread before any other thread is started: the signals would still end the process through a thread
  /// that does not block them.
  public static func run(_ configuration: ServerConfiguration, isReady: (String) -> Void) throws(ServerError) {
    try run(configuration, notify: { _ in }) { isReady($0.url) }
  }

  /// `notify` is called on any thread with notices for the operator.
  package static func run(
    _ configuration: ServerConfiguration, notify: @escaping @Sendable (ServerNotice) -> Void,
    isReady: (IngestServer) -> Void
  ) throws(ServerError) {
    let signals: SignalWatcher
    do throws(NetworkError) { signals = try SignalWatcher.forEnding() } catch { throw ServerError(error) }
    let server = try IngestServer(configuration, notify: notify)
    isReady(server)
    server.serve(until: signals)
  }
}
