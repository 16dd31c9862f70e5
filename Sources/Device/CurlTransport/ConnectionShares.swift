import CCurl

/// Where the connections of phones are kept. Of one cache for all, libcurl would walk through every connection for each one
/// that has died; so a few devices share one, and `CURLOPT_ADDRESS_SCOPE` keeps them apart in it: the scope is a part of the
/// key under which a connection is kept, and of nothing else unless the server's address is link-local (RFC 4007 §4).
///
/// Sessions of TLS have no such part in their key. A device under https has a share of its own (8 KiB), with the session that its
/// next connection resumes, as the library of a phone keeps it.
@safe
struct ConnectionShares: ~Copyable {
  static let devicesPerShare = 64

  private var shares: [Key: UnsafeMutableRawPointer] = unsafe [:]

  private enum Key: Hashable {
    case group(Int)
    case secure(device: Int)
  }

  /// Nil when memory has run out: the device's connections are then kept with those of all other devices.
  mutating func share(of device: Int, isSecure: Bool) -> UnsafeMutableRawPointer? {
    let key = isSecure ? Key.secure(device: device) : .group(device / ConnectionShares.devicesPerShare)
    if let share = unsafe shares[key] { return unsafe share }
    guard let share = unsafe curl_share_init() else { return nil }
    for data in isSecure ? [CURL_LOCK_DATA_CONNECT, CURL_LOCK_DATA_SSL_SESSION] : [CURL_LOCK_DATA_CONNECT] {
      let code = unsafe rr_curl_share_lock_data(share, data)
      precondition(code == CURLSHE_OK, "connections can be shared since libcurl 7.57")
    }
    unsafe shares[key] = unsafe share
    return unsafe share
  }

  /// The scope of a device; 0 would be none.
  static func scope(of device: Int) -> Int { device % devicesPerShare + 1 }

  /// Closes all connections. After the last handle that used a share is gone.
  mutating func close() {
    unsafe shares.values.forEach { share in
      let code = unsafe curl_share_cleanup(share)
      precondition(code == CURLSHE_OK, "no handle uses the share any more")
    }
    unsafe shares = [:]
  }
}
