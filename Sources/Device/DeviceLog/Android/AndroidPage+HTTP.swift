import Contract
import Vocabulary

extension AndroidPage {
  mutating func writeQueue(_ entry: LogEntry) -> Bool {
    switch entry {
    case .inserted(let uuid, _, _, _): line("✅", "SQLiteLocationDAO persist", "INSERT: \(lower(uuid))")
    case .destroyed(let uuid): line("✅", "SQLiteLocationDAO destroy", "DESTROY: \(lower(uuid))", level: "DEBUG")
    case .destroyedAll(let count): line("✅", "SQLiteLocationDAO destroyAll", "DELETED: (\(count))", level: "DEBUG")
    case .purged(_, let days): line("ℹ️", "SQLiteLocationDAO prune", "PRUNE -\(days) days", level: "DEBUG")
    case .shrunk(_, let deleted): line("ℹ️", "SQLiteLocationDAO shrink", "SHRINK: \(deleted)", level: "DEBUG")
    case .unlockedAll: line("✅", "SQLiteLocationDAO unlock", "UNLOCKED (0)", level: "DEBUG")
    default: return false
    }
    return true
  }

  mutating func writeHTTP(_ entry: LogEntry) -> Bool {
    switch entry {
    case .flushBegan(_, let queued): box("HttpService flush", "HTTP Service (count: \(queued))")
    case .watchdogArmed, .watchdogFired, .syncPage, .posted, .flushFinished: break
    case .locked: line("✅", "SQLiteLocationDAO allWithLocking", "Locked 1 records", level: "DEBUG")
    case .lockedBatch(let count):
      line("✅", "SQLiteLocationDAO allWithLocking", "Locked \(count) records", level: "DEBUG")
    case .posting(let method, let uuid?, _, _):
      line("🔵", "HttpService createRequest", "HTTP \(method.rawValue): \(lower(uuid))")
    case .posting(let method, nil, let count, _):
      line("🔵", "HttpService createRequest", "HTTP \(method.rawValue) batch (\(count))")
    case .response(let status, let reason):
      if status == 0 {
        line("⚠️", "HttpService onFailure", "Response: 0, \(reason)")
      } else {
        line("🔵", "HttpService onResponse", "Response: \(status), \(reason)")
      }
    case .unlocked(let uuid): line("✅", "SQLiteLocationDAO unlock", "UNLOCKED: \(lower(uuid))", level: "DEBUG")
    case .busy: line("ℹ️", "HttpService run", "HttpService is busy", level: "INFO")
    case .autoSyncDisabled: plain("TSLog d", "autoSync disabled")
    case .noNetwork: box("HttpService handleConnectivityChange", "📶  Connectivity change: connected? false")
    case .notResponding(let host, let records):
      line("⚠️", "HttpService onFailure", "\(host) is not responding.  Will try again after \(records) records.")
    case .redirectNotPermitted(let status):
      line("ℹ️", "HttpService onResponse", "HTTP Redirect: \(status) ", level: "INFO")
    case .staleResponseIgnored:
      line(
        "⚠️", "HttpService handleHttpError",
        "Caught an Exception trying to reference callback.  It's probably already been called <IGNORE>.")
    case .paramsDropped:
      plain(
        "HttpService createRequest",
        "Appending #params to an HTTP Request of type {Array} is not yet supported.  "
          + "Specify an #httpRootProperty and send an {Object} request")
    case .connectivity(let state):
      box("HttpService handleConnectivityChange", "📶  Connectivity change: connected? \(state.isConnected)")
    default: return false
    }
    return true
  }

  mutating func writeAuthorization(_ entry: LogEntry) -> Bool {
    switch entry {
    case .provider(let state):
      plain("TSProviderManager handleProviderChangeEvent", "status: \(state.authorizationStatus)")
    case .refreshing(let url): plain("TSLog d", "refresh \(url)")
    case .refreshed(_, let hasNewRefreshToken):
      plain("TSAuthorization _onSuccess", "🔑 Refresh token success")
      if hasNewRefreshToken { plain("TSAuthorization applyResponseData", "🔑 Received refreshToken") }
    case .refreshFailed(let status, let reason): line("⚠️", "TSAuthorization _onFailure", "🔑 \(status) \(reason)")
    case .refreshSkipped(let reason): line("⚠️", "TSAuthorization _onFailure", "🔑 \(reason)")
    case .command(let name, let argument): plain("RPC run", "⚡️[RPC: \(name.rawValue): \(argument)]")
    case .commandProblem(let problem): line("‼️", "RPC run", "Error parsing RPC actions: \(problem)")
    case .commandOverflow(let limit, let dropped):
      line("⚠️", "TSLog w", "Action queue overflow (\(limit)). Dropped \(dropped) oldest action(s).")
    default: return false
    }
    return true
  }
}
