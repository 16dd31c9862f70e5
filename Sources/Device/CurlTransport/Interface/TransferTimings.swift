package import Base

/// When a request reached its stations, each since it was handed to libcurl; zero for one that it did not reach or that a
/// reused connection spared it (https://curl.se/libcurl/c/curl_easy_getinfo.html).
package struct TransferTimings: Equatable, Sendable {
  package var nameResolved = Nanoseconds.zero
  package var connected = Nanoseconds.zero
  /// The end of the TLS handshake.
  package var secured = Nanoseconds.zero
  package var firstByte = Nanoseconds.zero
  package var total = Nanoseconds.zero
  /// Connections that had to be made: 0 when one was reused, more than 1 when a reused one turned out to be dead.
  package var newConnections = 0
  /// Head and body, without TLS.
  package var sentBytes = 0
  package var receivedBytes = 0

  package init() {}
}
