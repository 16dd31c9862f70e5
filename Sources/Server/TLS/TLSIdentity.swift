internal import Glibc
internal import Synchronization

/// What a server shows its clients: read from files, and read again when they have changed. The files are looked at when a
/// client connects, which costs nothing beside a handshake, and needs no timer and no thread.
package final class TLSIdentity: Sendable {
  /// What the operator is told.
  package enum Notice: Equatable, Sendable {
    case renewed
    /// The files have changed and cannot be used; the former certificate stays.
    case notRenewed(TLSError)
    /// The certificate is no longer valid.
    case expired
  }

  private struct State {
    var context: TLSContext
    /// Of the files that were read last, whether they could be used or not.
    var stamps: [FileStamp]
    /// When the authority of development is asked for a new certificate, in seconds of the clock of files.
    var renewal: Int
  }

  private let files: TLSFiles
  private let authority: DevelopmentAuthority?
  private let notify: @Sendable (Notice) -> Void
  private let state: Mutex<State>

  /// `notify` is called from any thread.
  package convenience init(_ files: TLSFiles, notify: @escaping @Sendable (Notice) -> Void) throws(TLSError) {
    try self.init(files, of: nil, notify: notify)
  }

  /// With the certificate of an authority of development, which makes a new one before the old one ends.
  package convenience init(
    _ authority: DevelopmentAuthority, clientAuthorities: String?, notify: @escaping @Sendable (Notice) -> Void
  ) throws(TLSError) {
    try authority.prepare()
    var files = authority.files
    files.clientAuthorities = clientAuthorities
    try self.init(files, of: authority, notify: notify)
  }

  private init(
    _ files: TLSFiles, of authority: DevelopmentAuthority?, notify: @escaping @Sendable (Notice) -> Void
  ) throws(TLSError) {
    self.files = files
    self.authority = authority
    self.notify = notify
    let stamps = files.all.map(FileStamp.init)
    let context = try TLSContext(files)
    state = Mutex(State(context: context, stamps: stamps, renewal: context.renewal))
    if context.expiry.secondsLeft < 0 { notify(.expired) }
  }

  /// TLS for a client that has connected; nil when memory has run out. Changed files count from here on.
  package func channel(over socket: Int32) -> TLSChannel? { TLSChannel(server: context(), socket: socket) }

  private func context() -> TLSContext {
    let (context, notice) = state.withLock { state -> (TLSContext, Notice?) in
      do throws(TLSError) { try renewWhenDue(&state) } catch { return (state.context, .notRenewed(error)) }
      let stamps = files.all.map(FileStamp.init)
      guard stamps != state.stamps else { return (state.context, nil) }
      state.stamps = stamps
      do throws(TLSError) {
        state.context = try TLSContext(files)
        state.renewal = state.context.renewal
        return (state.context, state.context.expiry.secondsLeft < 0 ? .expired : .renewed)
      } catch {
        return (state.context, .notRenewed(error))
      }
    }
    if let notice { notify(notice) }
    return context
  }

  private func renewWhenDue(_ state: inout State) throws(TLSError) {
    guard let authority, time(nil) >= state.renewal else { return }
    // What fails now is tried again, and not by every client.
    state.renewal = time(nil) + 3_600
    try authority.prepare()
  }
}

extension TLSContext {
  fileprivate var renewal: Int { time(nil) + expiry.secondsLeft - DevelopmentAuthority.renewalSeconds }
}

/// What tells one content of a file from the next.
private struct FileStamp: Equatable, Sendable {
  let device: UInt
  let inode: UInt
  let size: Int
  let seconds: Int
  let nanoseconds: Int

  /// All zero when there is no such file.
  init(_ path: String) {
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    device = isThere ? UInt(status.st_dev) : 0
    inode = isThere ? UInt(status.st_ino) : 0
    size = isThere ? Int(status.st_size) : 0
    seconds = isThere ? status.st_mtim.tv_sec : 0
    nanoseconds = isThere ? status.st_mtim.tv_nsec : 0
  }
}
