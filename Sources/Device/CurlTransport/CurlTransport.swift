package import Base
import Synchronization
import Threads
package import Upload

/// Sends the requests of thousands of devices through libcurl, in one thread of its own. All calls may come from any thread.
///
/// A device may have several requests at once; under `.mobile` each of those is then a connection. Redirects are not followed
/// (SDK §9.1), and there are no retries but libcurl's own: on a reused connection that turns out to be dead before the
/// first byte of an answer.
package final class CurlTransport: Sendable {
  private let mailbox: TransportMailbox
  private let thread: NamedThread
  private let isStopped = Mutex(false)

  /// `deliver` is called in the transport's thread with what has ended since the last time; while it runs, nothing is sent.
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

  /// The request ends as `.cancelled`, unless it has ended already.
  package func cancel(_ id: UInt64, device: Int) { mailbox.post(.cancel(id, device: device)) }

  /// Ends all requests as `.cancelled`, closes all connections, and returns when the last completion was delivered. What is
  /// submitted later is never sent and has no completion. From `deliver` it returns at once, and the thread ends behind it:
  /// the owner of the transport may be given up by the very answer that it brought.
  package func stop() {
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    guard isFirst else { return }
    mailbox.post(.stop)
    // A thread cannot wait for itself.
    if thread.isCurrent { thread.detach() } else { thread.join() }
  }
}

/// Sends like `CurlTransport`, in the thread of its owner: between two turns nothing is sent and nothing arrives. For an
/// owner with a loop of its own this spares handing each request to another thread and each answer back.
package final class DrivenTransport {
  private let mailbox: TransportMailbox
  private let loop: TransferLoop

  package init(_ configuration: TransportConfiguration) throws(TransportError) {
    mailbox = try TransportMailbox.make()
    loop = try TransferLoop(configuration, mailbox) { _ in }
    TransferLoop.blockBrokenPipes()
  }

  deinit { loop.finish() }

  /// Sent with the next turn. The pair of device and id must be unique among the requests in flight. Devices are numbered
  /// from 0.
  package func submit(_ request: OutgoingRequest, device: Int) {
    precondition(device >= 0, "devices are numbered from 0")
    loop.begin(request, device: device)
  }

  /// The request ends as `.cancelled`, unless it has ended already.
  package func cancel(_ id: UInt64, device: Int) {
    loop.cancel(TransferLoop.RequestKey(device: device, id: id))
  }

  /// The device's network is another one: connections that it does not use are closed, as they belonged to the old one.
  package func changeNetwork(of device: Int) { loop.endUnusedConnections(of: device) }

  /// Sends and receives; returns at that instant, or earlier when a request has ended, a connection has something to say
  /// or a call comes in. Nil: without end.
  package func turn(until deadline: MonotonicInstant?) -> [TransportCompletion] {
    _ = loop.turn(until: deadline)
    return loop.takeCompletions()
  }

  /// Connections that stand or are being made.
  package var openConnections: Int { loop.sockets.openCount + loop.lines.count }

  /// Ends a turn, from any thread.
  package var alarm: @Sendable () -> Void {
    { [mailbox] in mailbox.wake() }
  }
}

/// How a transport reaches its servers.
package struct TransportConfiguration: Sendable {
  /// The newest version of HTTP to speak; what is spoken is agreed upon in the TLS handshake (RFC 9113 §3.2).
  package enum HTTPVersion: Sendable {
    case http1, http2
  }

  package var connections = ConnectionPolicy.mobile
  /// Under `.mobile`, and without a proxy: plain HTTP is spoken here, and libcurl only makes the connections. Fleets gain by
  /// it, one phone does not.
  package var isDirect = false
  /// How long an unused connection stays open: OkHttp's five minutes.
  package var idleTime = Nanoseconds.seconds(300)
  package var httpVersion = HTTPVersion.http1
  /// As in `http://proxy:3128`.
  package var proxy: String?
  /// A file of certificates in PEM form that takes the place of the system's roots.
  package var certificateAuthorities: String?
  /// False: any certificate of any server is taken, and anything between here and the server can read and change what is sent.
  package var checksServer = true
  /// What this side shows in the handshake, and its key, as files in PEM form.
  package var clientCertificate: String?
  package var clientKey: String?
  /// The public keys of servers that are taken, in curl's form; nil: any that an authority vouches for.
  package var pinnedKey: String?
  /// What is known of names instead of asking for them: `NAME:PORT:ADDRESS`.
  package var resolvedNames: [String] = []
  /// How the user of this program says whom to trust, as in "--ca FILE".
  package var trustSetting: String?
  /// For https, the variables of the environment that curl's users know count where the two above are nil: `HTTPS_PROXY`,
  /// `ALL_PROXY` and `NO_PROXY`, and `CURL_CA_BUNDLE` and `SSL_CERT_FILE`.
  package var readsEnvironment = false
  /// Numeric addresses of this machine for the devices in turn: one address has some 28,000 ports to one server.
  package var sourceAddresses: [String] = []
  /// A larger answer is a failure. In bytes.
  package var answerLimit = 16 << 20
  /// Nothing but the head of an answer is wanted: its content stays packed, and a longer one is left where it reaches the limit.
  /// Not where `isDirect`.
  package var readsOnlyHeads = false
  /// Whether completions bring the header lines of answers.
  package var keepsHeads = false
  /// Connections are made and nothing is sent over them; what is connected counts as answered with status 0.
  package var connectsOnly = false

  package init() {}
}

/// Which connection a request may use.
package enum ConnectionPolicy: Equatable, Sendable {
  /// Each device has its own, as phones do, and keeps it until it was idle for too long.
  case mobile
  /// All devices draw from a common pool of at most so many to a host, as a proxy would; requests wait for a free one.
  case shared(atMost: Int)
  /// A new one for each request.
  case fresh
}

/// The end of one request. Each request that was submitted has exactly one.
package struct TransportCompletion: Sendable {
  package let device: Int
  /// That of the request.
  package let id: UInt64
  package let outcome: RequestOutcome
  package let timings: TransferTimings
  /// The status line and the header lines of the last answer, as they came; empty unless `keepsHeads`.
  package let head: [UInt8]

  package init(device: Int, id: UInt64, outcome: RequestOutcome, timings: TransferTimings, head: [UInt8]) {
    (self.device, self.id, self.outcome, self.timings, self.head) = (device, id, outcome, timings, head)
  }
}

/// When a request reached its stations, each since it was handed to libcurl; zero for one that it did not reach or that a
/// reused connection spared it (https://curl.se/libcurl/c/curl_easy_getinfo.html).
package struct TransferTimings: Equatable, Sendable {
  package var nameResolved = Nanoseconds.zero
  package var connected = Nanoseconds.zero
  /// The end of the TLS handshake.
  package var secured = Nanoseconds.zero
  package var firstByte = Nanoseconds.zero
  package var total = Nanoseconds.zero
  /// Connections that had to be made: 0 when one was reused, more than 1 when a reused one turned out to be dead.
  package var newConnections = 0
  /// The newest of them has resumed the session of an earlier one, which spares the better part of a handshake. Known of
  /// requests that had an answer.
  package var isResumed = false
  /// How often it was sent again on a new connection, after a kept one had ended without a byte of an answer. libcurl does
  /// not say so of what it sends again itself.
  package var repetitions = 0
  /// Head and body, without TLS.
  package var sentBytes = 0
  package var receivedBytes = 0

  package init() {}
}

/// Why a transport could not be made.
package struct TransportError: Error, CustomStringConvertible {
  /// The function that failed.
  package let call: String
  /// Its errno, or libcurl's code.
  package let code: Int

  package var description: String { "\(call) failed with \(code)" }
}

/// Why a certificate of a server is refused, as far as it says what to do.
enum CertificateProblem {
  case unknownAuthority
  case expired
  case notYetValid
  case otherName

  /// `result` is that of OpenSSL (X509_STORE_CTX_get_error(3)); it stays 1 where libcurl has refused the name before it looks.
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
