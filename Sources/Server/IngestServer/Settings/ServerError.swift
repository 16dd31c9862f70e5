import Network
import Store

/// Why a server did not start.
public struct ServerError: Error, CustomStringConvertible, Sendable {
  /// The kind of problem, from which the command line derives an exit code.
  public enum Code: Sendable {
    /// The address is in use, or may not be used.
    case cannotBind
    /// The data folder cannot be used: not writable, in use, of a newer version, damaged.
    case data
    /// A setting is invalid.
    case configuration
    /// Another system call failed.
    case system
  }

  /// The kind of problem.
  public let code: Code
  /// A sentence that names the place and the remedy.
  public let description: String

  init(configuration problem: String) {
    code = .configuration
    description = problem
  }

  private init(system problem: String) {
    code = .system
    description = problem
  }

  init(_ error: StoreError) {
    code = .data
    description = error.message
  }

  /// Any error that a start throws.
  init(starting error: any Error) {
    switch error {
    case let error as StoreError: self.init(error)
    case let error as ServerError: self = error
    case let error as NetworkError: self.init(error)
    default: self.init(system: "\(error)")
    }
  }

  init(_ error: NetworkError) {
    code =
      switch error {
      case .badAddress, .cannotBind: .cannotBind
      case .system: .system
      }
    description = error.description
  }
}
