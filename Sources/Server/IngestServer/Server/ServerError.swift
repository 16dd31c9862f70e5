import Network
import Store

/// Why a server did not start.
public struct ServerError: Error, CustomStringConvertible, Sendable {
  /// What kind of thing was in the way; the command line makes an exit code of it.
  public enum Code: Sendable {
    /// The address is in use, or not ours to use.
    case cannotBind
    /// The data folder cannot be used: not writable, in use, of a newer version, damaged.
    case data
    /// A choice makes no sense.
    case configuration
    /// The system refused something else.
    case system
  }

  /// What kind of thing was in the way.
  public let code: Code
  /// A sentence that names the place and the remedy.
  public let description: String

  init(configuration problem: String) {
    code = .configuration
    description = problem
  }

  init(_ error: StoreError) {
    code = .data
    description = error.message
  }

  init(_ error: NetworkError) {
    code =
      switch error {
      case .badAddress, .cannotBind: .cannotBind
      case .system: .system
      }
    description = error.description + (error.remedy.map { "; \($0)" } ?? "")
  }
}
