internal import Glibc
internal import Shell
internal import Synchronization

/// The certificates of a server: read from files, and read again when these change. The files are checked when a client
/// connects, which is cheap compared to a handshake, and needs no timer or thread.
package final class TLSIdentity: Sendable {
  /// A notice for the operator.
  package enum Notice: Equatable, Sendable {
    case renewed
    /// A development authority was created: no client trusts it yet.
    case newAuthority
    /// The changed files cannot be used; the previous certificate stays in use.
    case notRenewed(TLSError)
    /// The certificate in this file is no longer valid.
    case expired(String)
    case notYetValid(String)
  }

  private struct State {
    var context: TLSContext
    /// The stamps of the files read last, whether or not they could be used.
    var stamps: [FileStamp]
    /// When the files are read again even without a change, in seconds of the clock of files as below.
    var nextReading: Int
    /// Why they could not be used.
    var failure: TLSError?
    /// When the development authority is asked for a new certificate.
    var renewal: Int
  }

  /// The interval of new ticket keys: a stolen key opens the sessions that were resumed with it (RFC 8446 §8.1).
  private static let keySeconds = 86_400
  /// The retry delay after a failure that may not be due to the files: descriptors may have run out.
  private static let retrySeconds = 60
  private static let renewalRetrySeconds = 3_600

  private let files: TLSFiles
  private let authority: DevelopmentAuthority?
  private let clock: @Sendable () -> Int
  private let load: @Sendable (TLSFiles) throws(TLSError) -> TLSContext
  private let notify: @Sendable (Notice) -> Void
  private let state: Mutex<State>

  /// `notify` may be called on any thread.
  package convenience init(_ files: TLSFiles, notify: @escaping @Sendable (Notice) -> Void) throws(TLSError) {
    try self.init(files, of: nil, notify: notify)
  }

  /// Uses a certificate of a development authority, which issues a new one before the old one expires.
  package convenience init(
    _ authority: DevelopmentAuthority, clientAuthorities: String?, notify: @escaping @Sendable (Notice) -> Void
  ) throws(TLSError) {
    let isNew = try authority.prepare()
    var files = authority.files
    files.clientAuthorities = clientAuthorities
    try self.init(files, of: authority, notify: notify)
    if isNew { notify(.newAuthority) }
  }

  init(
    _ files: TLSFiles, of authority: DevelopmentAuthority?, clock: @escaping @Sendable () -> Int = { time(nil) },
    load: @escaping @Sendable (TLSFiles) throws(TLSError) -> TLSContext = { (files) throws(TLSError) in
      try TLSContext(files)
    },
    notify: @escaping @Sendable (Notice) -> Void
  ) throws(TLSError) {
    (self.files, self.authority) = (files, authority)
    (self.clock, self.load, self.notify) = (clock, load, notify)
    let stamps = files.all.map(FileStamp.init)
    let context = try load(files)
    let now = clock()
    state = Mutex(
      State(
        context: context, stamps: stamps, nextReading: now + TLSIdentity.keySeconds,
        renewal: now + context.secondsToRenewal))
    for notice in context.notices { notify(notice) }
  }

  /// Returns TLS for a client that has connected; nil when memory has run out. Changed files take effect here.
  /// `stopsAtGreeting`: see `TLSChannel.Progress.clientHello`.
  package func channel(over socket: Int32, stopsAtGreeting: Bool = false) -> TLSChannel? {
    let (context, notices) = state.withLock { state in
      let notices = refresh(&state, clock())
      return (state.context, notices)
    }
    for notice in notices { notify(notice) }
    return TLSChannel(server: context, socket: socket, stopsAtGreeting: stopsAtGreeting)
  }

  /// Shows the client a certificate with this fault; must be called before the channel has answered. Returns false when it
  /// cannot be made.
  package func show(_ fault: CertificateFault, over channel: TLSChannel) -> Bool {
    let own = channel.chosen
    let context = own.faulty.withLock { faulty in
      do throws(TLSError) {
        return try faulty.context(fault, besides: own, of: authority)
      } catch {
        return nil
      }
    }
    if let context { channel.change(to: context) }
    return context != nil
  }

  private func refresh(_ state: inout State, _ now: Int) -> [Notice] {
    do throws(TLSError) {
      let isNew = try renewWhenDue(&state, now)
      return (isNew ? [.newAuthority] : []) + read(&state, now)
    } catch {
      return [.notRenewed(error)]
    }
  }

  private func read(_ state: inout State, _ now: Int) -> [Notice] {
    let stamps = files.all.map(FileStamp.init)
    let isNew = stamps != state.stamps || state.failure != nil
    guard stamps != state.stamps || now >= state.nextReading else { return [] }
    state.stamps = stamps
    do throws(TLSError) {
      state.context = try load(files)
    } catch {
      state.nextReading = now + TLSIdentity.retrySeconds
      defer { state.failure = error }
      return error == state.failure ? [] : [.notRenewed(error)]
    }
    state.failure = nil
    state.nextReading = now + TLSIdentity.keySeconds
    state.renewal = now + state.context.secondsToRenewal
    guard isNew else { return [] }
    let notices = state.context.notices
    return notices.isEmpty ? [.renewed] : notices
  }

  /// Returns whether a new authority was created.
  private func renewWhenDue(_ state: inout State, _ now: Int) throws(TLSError) -> Bool {
    guard let authority, now >= state.renewal else { return false }
    // A failure is retried later, and not for every client.
    state.renewal = now + TLSIdentity.renewalRetrySeconds
    return try authority.prepare()
  }
}

extension TLSContext {
  fileprivate var secondsToRenewal: Int {
    (expiries.map(\.expiry.secondsLeft).min() ?? 0) - DevelopmentAuthority.renewalSeconds
  }

  /// The reasons for which clients refuse certificates.
  fileprivate var notices: [TLSIdentity.Notice] {
    expiries.compactMap { file, expiry in
      expiry.secondsLeft < 0 ? .expired(file) : expiry.isAhead ? .notYetValid(file) : nil
    }
  }
}
