import CCurl

/// Where the connections of phones are kept. Of one cache for all, libcurl would walk through every connection for each one
/// that has died; so a few devices share one, and `CURLOPT_ADDRESS_SCOPE` keeps them apart in it: the scope is a part of the
/// key under which a connection is kept, and of nothing else unless the server's address is link-local (RFC 4007 §4).
@safe
struct ConnectionShares: ~Copyable {
  static let devicesPerShare = 64

  private var shares: [UnsafeMutableRawPointer?] = unsafe []

  /// Nil when memory has run out: the device's connections are then kept with those of everybody else.
  mutating func share(of device: Int) -> UnsafeMutableRawPointer? {
    let index = device / ConnectionShares.devicesPerShare
    if unsafe index >= shares.count {
      unsafe shares.append(contentsOf: repeatElement(nil, count: index + 1 - shares.count))
    }
    if let share = unsafe shares[index] { return unsafe share }
    guard let share = unsafe curl_share_init() else { return nil }
    let code = unsafe rr_curl_share_lock_data(share, CURL_LOCK_DATA_CONNECT)
    precondition(code == CURLSHE_OK, "connections can be shared since libcurl 7.57")
    unsafe shares[index] = unsafe share
    return unsafe share
  }

  /// The scope of a device; 0 would be none.
  static func scope(of device: Int) -> Int { device % devicesPerShare + 1 }

  /// Closes all connections. After the last handle that used a share is gone.
  mutating func close() {
    unsafe shares.forEach { share in
      if let share = unsafe share {
        let code = unsafe curl_share_cleanup(share)
        precondition(code == CURLSHE_OK, "no handle uses the share any more")
      }
    }
    unsafe shares = []
  }
}
