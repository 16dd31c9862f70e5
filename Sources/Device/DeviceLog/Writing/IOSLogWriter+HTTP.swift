import Base
import Contract
import Vocabulary

extension IOSLogWriter {
  mutating func writeQueue(_ entry: LogEntry) -> Bool {
    switch entry {
    case .inserted(let uuid, let kind, let persistMode, let maxRecords):
      line(
        "✅", "-[TSDataStore persist:]",
        "💾 INSERT: \(upper(uuid)) (type: \(kind.rawValue), persistMode: \(persistMode), maxRecords: \(maxRecords))")
    case .destroyed(let uuid): line("✅", "-[TSHttpService post:]_block_invoke", "DESTROY: \(upper(uuid))")
    case .destroyedAll: line("✅", "-[TSLocationDAO clear]_block_invoke", "Destroyed all locations")
    case .purged(let count, let days):
      line("🔵", "-[TSLocationDAO purge:]", String(days))
      if count > 0 {
        line(
          "🔵", "-[TSLocationDAO purge:]_block_invoke", "Found \(count) stale records older than \(days) days")
      }
    case .shrunk(let maximum, let deleted):
      line("🔵", "-[TSLocationDAO shrink:db:]", "Shrank locations to max=\(maximum) (deleted \(deleted) rows)")
    case .unlockedAll: line("✅", "-[TSLocationDAO unlock]_block_invoke", "UNLOCKED ALL RECORDS")
    default: return false
    }
    return true
  }

  mutating func writeHTTP(_ entry: LogEntry) -> Bool {
    let sending = "-[TSHttpService doPost:callback:]_block_invoke"
    switch entry {
    case .flushBegan: box("-[TSHttpService beginFlushWithCallback:overrideSyncThreshold:error:]")
    case .watchdogArmed(let timeout, let watchdog):
      line(
        "🔵", "-[TSHttpService armFlushWatchdog]",
        "flush=\(flush) watchdog_armed timeout=\(LogNumber.fixed(timeout, 3)) watchdog=\(LogNumber.fixed(watchdog, 3))")
    case .watchdogFired(let locked, let isBatch):
      line(
        "⚠️", "-[TSHttpService armFlushWatchdog]_block_invoke",
        "flush=\(flush) watchdog_timeout force_unlock=1 locked_count=\(locked) batch=\(LogNumber.flag(isBatch))")
    case .locked(let uuid): line("✅", "-[TSHttpService schedulePost]", "LOCKED: \(upper(uuid))")
    case .lockedBatch(let count): line("✅", "-[TSHttpService scheduleBatchPost]", "LOCKED (batch): \(count)")
    case .posting(_, nil, let count, url: _): line("🔵", "-[TSHttpService postBatch:]", "\(count) records")
    case .posting: break
    case .response(let status, reason: _): line("🔵", "-[TSHttpResponse handleResponse]", "Response: \(status)")
    case .posted(uuid: _, let status, let retry):
      line("🔵", sending, "flush=\(flush) post status=\(status) retry=\(retry) busy=1")
    case .unlocked(let uuid): line("✅", "-[TSHttpService post:]_block_invoke", "UNLOCKED: \(upper(uuid))")
    case .syncPage(let isOK, let size):
      if isOK {
        line("🔵", "-[TSHttpService post\(size == 1 ? "" : "Batch"):]_block_invoke", "sync_page ok=1 size=\(size)")
      }
    case .flushFinished(let isSuccess, let before, let synced, let pages, let milliseconds):
      box(
        "-[TSHttpService finish:error:]",
        "success=\(LogNumber.flag(isSuccess)) queued_before=\(before) synced=\(synced) pages=\(pages) "
          + "duration_ms=\(milliseconds)")
    case .busy: line("⚠️", "-[TSHttpService flush:failure:]", "Busy with previous request")
    case .autoSyncDisabled:
      line("⚠️", "-[TSHttpService beginFlushWithCallback:overrideSyncThreshold:error:]", "autoSync disabled")
    case .noNetwork: line("⚠️", "-[TSHttpService continueFlush]", "No network connection")
    case .notResponding(let host, let records):
      line("⚠️", sending, "\(host) is not responding.  Will try again after \(records) records")
    case .redirectNotPermitted(let status):
      line(
        "⚠️", "-[TSHttpResponse handleResponse]",
        "HTTP \(status) redirects are not permitted since they strip POST data")
    case .staleResponseIgnored: line("⚠️", sending, "flush=\(flush) stale_response_ignored current_flush=\(flush)")
    case .paramsDropped:
      line(
        "⚠️", "-[TSHttpRequest run]",
        "Cannot attach HTTP #params to an HTTP request with JSON data of type [Array], not an {Object].  "
          + "Specify an #httpRootProperty other than '.' (eg: 'data')")
    case .connectivity(let state):
      line("🔵", "-[TSHttpService init]_block_invoke", "Network: \(state.iosName) | Flags: \(state.iosFlags)")
    default: return false
    }
    return true
  }

  /// The export names each flush; ours are distinguished by their place in the log.
  private var flush: String { upper(UUID128(high: 0, low: 0)) }
}

extension Connectivity {
  fileprivate var iosName: String {
    switch self {
    case .none: "None"
    case .cellular: "Cellular"
    case .wifi: "WiFi"
    }
  }

  /// The operating system's reachability flags in its own short form.
  fileprivate var iosFlags: String {
    switch self {
    case .none: "-- -------"
    case .cellular: "WR -t-----"
    case .wifi: "-R -t-----"
    }
  }
}

extension IOSLogWriter {
  mutating func writeAuthorization(_ entry: LogEntry) -> Bool {
    let resolving = "-[TSAuthorization resolve:success:failure:]_block_invoke"
    switch entry {
    case .provider(let state):
      let name = state.authorizationStatus == 3 ? "HasAlways" : "HasStatus"
      line(
        "📌 🔒", "-[TSLocationAuthorization onAuthorizationStatusChanged:]",
        "Authorization status changed: \(state.authorizationStatus) (state: \(name))")
    case .refreshing: line("🔵", "-[TSHttpService doPost:callback:]_block_invoke", "flush=0 auth_refresh_start retry=0")
    case .refreshed(let status, let hasNewRefreshToken):
      line("🔵", resolving, "🔑 Refreshed access-token from host, \(status)")
      if hasNewRefreshToken { line("🔵", "-[TSAuthorization applyResponseData:]", "🔑 Found refreshToken") }
    case .refreshFailed(let status, let reason):
      line("⚠️", resolving, "🔑 Token refresh failed from host (\(status)) \(reason)")
    case .refreshSkipped(.noURL):
      line("⚠️", "-[TSHttpService doPost:callback:]_block_invoke", "🔑 \(LogEntry.noRefreshURL)")
    case .refreshSkipped(.refreshedAlready):
      line(
        "⚠️", "-[TSHttpService doPost:callback:]_block_invoke",
        "flush=0 auth_refresh_skipped max_refresh_retries=1 retry=1")
    default: return false
    }
    return true
  }

  mutating func writeCommand(_ entry: LogEntry) -> Bool {
    switch entry {
    case .command(let name, let argument):
      line("🔵", "-[TSConfig onChange:]", "[RPC] \(name.rawValue) \(argument)")
    case .commandProblem(let problem):
      switch problem {
      case .wrongShape, .tooDeep: line("‼️", "-[TSRPC run:]", "[RPC Error] \(problem)")
      case .nullCommand: line("‼️", "-[TSRPCAction execute:]", "\(problem)")
      case .unknownCommand: line("⚠️", "-[TSRPCAction execute:]", "\(problem)")
      case .wrongArgument(let name, let expected, let found):
        line(
          "‼️", "-[TSRPCAction ensureArgs:]",
          "RPC Error: \(name.rawValue): expected argument of type \(expected) but received \(found)")
      case .superfluousArgument, .invalidGeofence, .invalidConfiguration:
        line("‼️", "-[TSRPCAction addGeofence]", "\(problem)")
      }
    case .commandOverflow(let limit, let dropped):
      line("⚠️", "-[TSRPC run:]", "[TSRPC] Action queue overflow (\(limit)). Dropped \(dropped) oldest action(s).")
    default: return false
    }
    return true
  }
}
