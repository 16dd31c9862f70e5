import Contract
import Vocabulary

extension IOSPage {
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
    case .refreshSkipped:
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
      case .wrongShape: line("‼️", "-[TSRPC run:]", "[RPC Error] \(problem)")
      case .nullCommand: line("‼️", "-[TSRPCAction execute:]", "\(problem)")
      case .unknownCommand: line("⚠️", "-[TSRPCAction execute:]", "\(problem)")
      case .wrongArgument(_, let expected, let found):
        line(
          "‼️", "-[TSRPCAction ensureArgs:]",
          "RPC Error: expected argument of type \(expected) but received \(found): \(problem)")
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
