import Base
package import Store
package import TLS

/// A log message for the operator of a running server; rate-limited, however much goes wrong.
package enum ServerNotice: Sendable {
  /// `detail`: the message of the disk or the database.
  case outage(OutageAccount.Change, detail: String?)
  /// The journal could not be read. It was moved to this path, and a new one was created.
  case journalSetAside(String, reason: String)
  /// The store of this folder is missing; a new one was created.
  case storeIsNew(reason: String)
  /// The key of earlier tokens is missing.
  case keyIsNew(reason: String)
  case tls(TLSIdentity.Notice)
  /// A notice of the sink with this name.
  case sink(String, SinkNotice)
  case issuerKeys(KeyNotice)
  /// The number of quarantined records deleted since the last such notice because their devices were at their limit.
  case evictedFromQuarantine(Int)
  /// A command that stays queued.
  case unknownCommand(UnknownOrder)
}

extension ServerNotice {
  package var message: String {
    switch self {
    case .outage(.began(let outage), let detail):
      "the store cannot accept records: \(outage.words)\(detail.map { ": \($0)" } ?? "")"
    case .outage(.ended(let outage, let lasted, let refused), _):
      "records are stored again; for \(lasted.wholeMilliseconds / 1_000) s \(outage.words), with \(refused.of("request")) refused"
    case .journalSetAside(let path, let reason):
      "a new request journal was created; the old one is kept as \(path): \(reason)"
    case .tls(.renewed): "the new certificate is in use"
    case .tls(.newAuthority):
      "a new development authority was created; 'rollingroad trust' makes clients trust it, also those that trusted an earlier one"
    case .tls(.notRenewed(let error)):
      "the new certificate cannot be used; the previous one stays in use: \(error)"
    case .tls(.expired(let file)): "the certificate \(file) is no longer valid; clients refuse it"
    case .tls(.notYetValid(let file)): "the certificate \(file) is not valid yet; clients refuse it until then"
    case .sink(let name, .stuck(let reason)):
      "'\(name)' accepts no records: \(reason); they stay in the store, and sending is retried"
    case .sink(let name, .resumed(let after, let lag)):
      "'\(name)' accepts records again after \(after.wholeMilliseconds / 1_000) s; \(lag.of("record")) waiting"
    case .sink(let name, .refused(let count, let reason)):
      "'\(name)' refused \(count.of("record")) for good (\(reason)), listed by GET /admin/v1/sinks"
    case .sink(let name, .lost(let count)):
      "--retain-size deleted \(count.of("record")) not yet forwarded to '\(name)'"
    case .issuerKeys(.renewed(let place, let count)): "\(place) was read: \(count.of("key")) of the foreign issuer"
    case .issuerKeys(.notRenewed(let place, let reason)):
      "the keys of the foreign issuer cannot be read from \(place); the previous keys stay in use: \(reason)"
    case .evictedFromQuarantine(let count):
      "deleted \(count.of("quarantined record")) to make room for later ones: a device keeps its last \(StoreLimits().quarantinePerDevice) there"
    case .unknownCommand(let order):
      "the command \(order.id) is of the unknown kind \(order.kind): it stays queued until a server of the version that wrote it delivers it"
    case .storeIsNew(let reason):
      "\(reason), but its folder has the key of an earlier store; an empty store was created. If that is wrong, stop the server and restore a backup"
    case .keyIsNew(let reason):
      "\(reason), but its folder has an earlier store; a new key was created, and access tokens of the old one are refused. If that is wrong, stop the server and restore the file from a backup"
    }
  }
}

extension StoreOutage {
  fileprivate var words: String {
    switch self {
    case .full: "the disk had no space left (uploads get 507)"
    case .inputOutput: "the disk failed (uploads get 503)"
    case .unreachable: "the database could not be reached or took no writes (uploads get 503)"
    case .damaged:
      "the data file is damaged (uploads get 503 until a restart); run 'rollingroad inspect' on the folder for details"
    case .stopping: "the server was shutting down"
    }
  }
}
