import Base
package import Store

/// What a server tells those who run it while it runs: few lines, however much goes wrong.
package enum ServerNotice: Sendable {
  case outage(OutageAccount.Change)
  /// The journal could not be read; it lies there now, and a new one has begun.
  case journalSetAside(String, reason: String)
  /// A store that should be there is not; a new one has begun.
  case storeIsNew(reason: String)
}

extension ServerNotice {
  package var message: String {
    switch self {
    case .outage(.began(let outage)): "nothing can be stored: \(outage.words)"
    case .outage(.ended(let outage, let lasted, let refused)):
      "records are stored again; for \(lasted.wholeMilliseconds / 1_000) s \(outage.words), and \(refused) requests were refused"
    case .journalSetAside(let path, let reason):
      "a new journal of requests has begun; the old one lies in \(path): \(reason)"
    case .storeIsNew(let reason):
      "\(reason), but its folder has a key: a store was here; an empty one has begun. Stop, and restore a copy, if that is wrong"
    }
  }
}

extension StoreOutage {
  fileprivate var words: String {
    switch self {
    case .full: "the disk had no space left (uploads get 507)"
    case .inputOutput: "the disk failed (uploads get 503)"
    case .damaged:
      "the data file is damaged (uploads get 503 until a restart); 'rollingroad inspect' of the folder says more"
    case .stopping: "the server was stopping"
    }
  }
}
