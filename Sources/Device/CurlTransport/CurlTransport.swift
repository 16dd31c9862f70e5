package import Base
import Synchronization
import Threads
package import Upload

/// Sends the requests of thousands of devices through libcurl, in one thread of its own. All methods are thread-safe.
///
/// A device may have several requests at once; under `.mobile` each then has its own connection. Redirects are not
/// followed (SDK §9.1). There are no retries but libcurl's own: on a reused connection that turns out to be dead before
/// the first byte of an answer.
package final class CurlTransport: Sendable {
  private let mailbox: TransportMailbox
  private let thread: NamedThread
  private let isStopped = Mutex(false)

  /// `deliver` is called in the transport's thread with the new completions; nothing is sent while it runs.
  package init(
    _ configuration: TransportConfiguration, deliver: @escaping @Sendable ([TransportCompletion]) -> Void
  ) throws(TransportError) {
    let mailbox = try TransportMailbox.make()
    let start = Handover(try TransferLoop(configuration, mailbox, deliver))
    self.mailbox = mailbox
    thread = NamedThread.started("transport") {
      let loop = start.take()
      TransferLoop.blockBrokenPipes()
      loop.run()
    }
  }

  deinit { stop() }

  /// The pair of device and id must be unique among the requests in flight. Devices are numbered from 0.
  package func submit(_ request: OutgoingRequest, device: Int) {
    precondition(device >= 0, "devices are numbered from 0")
    mailbox.post(.submit(request, device: device))
  }

  /// Ends the request as `.cancelled`, unless it has ended already.
  package func cancel(_ id: UInt64, device: Int) { mailbox.post(.cancel(id, device: device)) }

  /// Ends all requests as `.cancelled`, closes all connections, and returns when the last completion was delivered.
  /// Requests submitted later are neither sent nor completed. Called from `deliver` it returns at once and the thread
  /// ends afterwards: an answer may make its receiver release the transport.
  package func stop() {
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    guard isFirst else { return }
    mailbox.post(.stop)
    // A thread cannot join itself.
    if thread.isCurrent { thread.detach() } else { thread.join() }
  }
}

/// Like `CurlTransport`, but in the thread of its owner: nothing is sent or received between two turns. An owner with a
/// loop of its own avoids passing each request and answer between threads.
package final class DrivenTransport {
  private let mailbox: TransportMailbox
  private let loop: TransferLoop

  package init(_ configuration: TransportConfiguration) throws(TransportError) {
    mailbox = try TransportMailbox.make()
    loop = try TransferLoop(configuration, mailbox) { _ in }
    TransferLoop.blockBrokenPipes()
  }

  deinit { loop.finish() }

  /// Submits a request for the next turn. The pair of device and id must be unique among the requests in flight.
  /// Devices are numbered from 0.
  package func submit(_ request: OutgoingRequest, device: Int) {
    precondition(device >= 0, "devices are numbered from 0")
    loop.begin(request, device: device)
  }

  /// Ends the request as `.cancelled`, unless it has ended already.
  package func cancel(_ id: UInt64, device: Int) {
    loop.cancel(TransferLoop.RequestKey(device: device, id: id))
  }

  /// Returns what a request in flight has done so far; nil for one that is not, or has no connection yet.
  package func timings(of id: UInt64, device: Int) -> TransferTimings? {
    loop.timings(of: TransferLoop.RequestKey(device: device, id: id))
  }

  /// Closes the unused connections of a device, because they belonged to its former network.
  package func changeNetwork(of device: Int) { loop.endUnusedConnections(of: device) }

  /// Sends and receives until that instant, or until a request ends, a connection has an event, or a call arrives. Nil:
  /// without limit.
  package func turn(until deadline: MonotonicInstant?) -> [TransportCompletion] {
    _ = loop.turn(until: deadline)
    return loop.takeCompletions()
  }

  /// The number of open or connecting connections.
  package var openConnections: Int { loop.sockets.openCount + loop.connections.count }

  /// Ends a turn, from any thread.
  package var alarm: @Sendable () -> Void {
    { [mailbox] in mailbox.wake() }
  }
}

/// Settings of a transport.
package struct TransportConfiguration: Sendable {
  /// The newest HTTP version to offer; the version in use is negotiated in the TLS handshake (RFC 9113 §3.2).
  package enum HTTPVersion: Sendable {
    case http1, http2
  }

  package var connections = ConnectionPolicy.mobile
  /// Whether plain HTTP is spoken without libcurl, which then only connects; under `.mobile` and without a proxy. It
  /// pays for fleets, not for one phone.
  package var isDirect = false
  /// The time after which an unused connection is closed: OkHttp's five minutes.
  package var idleTime = Nanoseconds.seconds(300)
  package var httpVersion = HTTPVersion.http1
  /// For example `http://proxy:3128`.
  package var proxy: String?
  /// A PEM file of certificates that replaces the system's roots.
  package var certificateAuthorities: String?
  /// False: any certificate is accepted, and anyone between here and the server can read and change the data.
  package var checksServer = true
  /// The client certificate and its key, as PEM files.
  package var clientCertificate: String?
  package var clientKey: String?
  /// The accepted public keys of servers, in curl's form; nil: any that a certificate authority confirms.
  package var pinnedKey: String?
  /// Static name resolutions: `NAME:PORT:ADDRESS`.
  package var resolvedNames: [String] = []
  /// The name of this program's setting for trusted authorities, such as "--ca FILE".
  package var trustSetting: String?
  /// Whether, for https, curl's environment variables apply where the proxy and the authorities are nil: `HTTPS_PROXY`,
  /// `ALL_PROXY` and `NO_PROXY`, `CURL_CA_BUNDLE` and `SSL_CERT_FILE`.
  package var readsEnvironment = false
  /// Numeric local addresses, assigned to devices in turn: one address has some 28,000 ports to one server.
  package var sourceAddresses: [String] = []
  /// The maximum size of an answer in bytes; a larger one is a failure.
  package var answerLimit = 16 << 20
  /// Nothing but the head of an answer is wanted: its content stays packed, and a longer one is left where it reaches the limit.
  /// Not where `isDirect`.
  package var readsOnlyHeads = false
  /// Whether completions include the header lines of answers.
  package var keepsHeads = false
  /// Whether requests only connect and send nothing; a connection then counts as an answer with status 0.
  package var connectsOnly = false

  package init() {}
}

/// The connections that a request may use.
package enum ConnectionPolicy: Equatable, Sendable {
  /// Each device has its own connection, as phones do, and keeps it until its idle timeout.
  case mobile
  /// All devices share a pool with at most this many connections to a host, as a proxy would; requests wait for a free one.
  case shared(atMost: Int)
  /// A new connection for each request.
  case fresh
}

/// The end of one request. Each submitted request has exactly one.
package struct TransportCompletion: Sendable {
  package let device: Int
  /// The id of the request.
  package let id: UInt64
  package let outcome: RequestOutcome
  package let timings: TransferTimings
  /// The raw status line and header lines of the last answer; empty unless `keepsHeads`.
  package let head: [UInt8]

  package init(device: Int, id: UInt64, outcome: RequestOutcome, timings: TransferTimings, head: [UInt8]) {
    (self.device, self.id, self.outcome, self.timings, self.head) = (device, id, outcome, timings, head)
  }
}

/// The times of a request's phases since its submission to libcurl; zero for a phase that was not reached or that a
/// reused connection made unnecessary (https://curl.se/libcurl/c/curl_easy_getinfo.html).
package struct TransferTimings: Equatable, Sendable {
  package var nameResolved = Nanoseconds.zero
  package var connected = Nanoseconds.zero
  /// The end of the TLS handshake.
  package var secured = Nanoseconds.zero
  package var firstByte = Nanoseconds.zero
  package var total = Nanoseconds.zero
  /// The number of new connections: 0 when one was reused, more than 1 when a reused one turned out to be dead.
  package var newConnections = 0
  /// Whether the newest of them resumed an earlier TLS session, which saves most of a handshake. Known only for
  /// requests with an answer.
  package var isResumed = false
  /// The number of repetitions on a new connection, after a kept one had ended without a byte of an answer. libcurl
  /// does not report its own.
  package var repetitions = 0
  /// The size of head and body, without TLS.
  package var sentBytes = 0
  package var receivedBytes = 0

  package init() {}
}

/// The reason why a transport could not be created.
package struct TransportError: Error, CustomStringConvertible {
  /// The function that failed.
  package let call: String
  /// Its errno, or libcurl's code.
  package let code: Int

  package var description: String { "\(call) failed with \(code)" }
}

/// The reasons for refusing a server's certificate, as far as they suggest a remedy.
enum CertificateProblem {
  case unknownAuthority
  case expired
  case notYetValid
  case otherName

  /// `result` is that of OpenSSL (X509_STORE_CTX_get_error(3)); it stays 1 where libcurl refuses the name before verification.
  init?(verifyResult result: Int) {
    switch result {
    case 0, 1: self = .otherName
    case 9: self = .notYetValid
    case 10: self = .expired
    case 18, 19, 20, 21: self = .unknownAuthority
    default: return nil
    }
  }

  /// Nil where the program has no setting for it.
  func remedy(trustSetting: String?) -> String? {
    switch self {
    case .unknownAuthority: trustSetting.map { "name the authority that signed it with \($0)" }
    case .expired: "renew the server's certificate"
    case .notYetValid: "compare the clocks of both machines"
    case .otherName:
      "use a name that the certificate has, or add this one to it (a Rolling Road server takes names with --tls-names)"
    }
  }
}
