internal import Glibc

/// What can go wrong before the first connection: after that, errors belong to connections and are counted there.
package enum NetworkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is no listen address; the second value says why.
  case badAddress(String, String)
  /// The address is in use, not ours or not allowed: exit code 106.
  case cannotBind(ListenAddress, SystemError)
  case system(SystemError)

  package var description: String {
    switch self {
    case .badAddress(let text, let reason): "\"\(text)\" is no address to listen on: \(reason)"
    case .cannotBind(let address, let error): "cannot bind \(address): \(error)"
    case .system(let error): error.description
    }
  }
}

extension NetworkError {
  /// What can be done about it, where that is known.
  package var remedy: String? {
    guard case .cannotBind(_, let error) = self else { return nil }
    return switch error.code {
    case EADDRINUSE: "stop what listens there, or choose another: --listen 127.0.0.1:0 takes a free port"
    case EADDRNOTAVAIL: "this machine has no such address; 0.0.0.0 stands for all that it has"
    case EACCES, EPERM: "ports below 1024 are for the administrator; choose a higher one"
    default: nil
    }
  }
}
