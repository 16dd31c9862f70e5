import CCurl

/// The connection caches of phones. In one cache for all devices, libcurl would scan every connection for each one that
/// has died; so a few devices share a cache, and `CURLOPT_ADDRESS_SCOPE` keeps them apart in it: the scope is part of a
/// connection's key, and has no other effect unless the server's address is link-local (RFC 4007 §4).
///
/// TLS sessions have no such part in their key. A device under https has a share of its own (8 KiB), with the session
/// that its next connection resumes, as on a phone.
@safe
struct ConnectionShares: ~Copyable {
  static let devicesPerShare = 64

  private var shares: [Key: UnsafeMutableRawPointer] = unsafe [:]

  private enum Key: Hashable {
    case group(Int)
    case secure(device: Int)
  }

  /// Nil when out of memory: the device's connections are then cached with those of all other devices.
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

  /// The scope of a device; 0 means none.
  static func scope(of device: Int) -> Int { device % devicesPerShare + 1 }

  /// Closes all connections. Call it after the last handle that used a share is gone.
  mutating func close() {
    unsafe shares.values.forEach { share in
      let code = unsafe curl_share_cleanup(share)
      precondition(code == CURLSHE_OK, "no handle uses the share any more")
    }
    unsafe shares = [:]
  }
}
