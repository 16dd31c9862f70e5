/// Servers whose dialect is known.
package enum TargetPreset: String, CaseIterable, Sendable {
  case rollingroad
  case traccar
  case dawarich
  case transistorConsole = "transistor-console"
}
