/// How far the process has come.
enum Phase: Sendable {
  case beforeReady
  case running
  /// Android, after the app was closed: its service goes on without listeners (SDK §19.3).
  case headless
  /// After `terminate`.
  case ended
}
