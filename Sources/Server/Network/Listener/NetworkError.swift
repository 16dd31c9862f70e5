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
