/// Why a transport could not be made.
package struct TransportError: Error, CustomStringConvertible {
  /// The function that failed.
  package let call: String
  /// Its errno, or libcurl's code.
  package let code: Int

  package var description: String { "\(call) failed with \(code)" }
}
