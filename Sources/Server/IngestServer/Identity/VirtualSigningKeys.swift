import Synchronization

/// The keys of servers in virtual time, which all servers share by number. They protect nothing, and generating an RSA key
/// takes a fifth of a second of processor time, which each of many short runs would spend again.
enum VirtualSigningKeys {
  private static let keys = Mutex<[SignatureKey.Family: [SignatureKey]]>([:])

  /// `number` counts from 0.
  static func key(_ family: SignatureKey.Family, number: Int) -> SignatureKey {
    keys.withLock { keys in
      var made = keys[family] ?? []
      while made.count <= number { made.append(.make(family)) }
      keys[family] = made
      return made[number]
    }
  }
}
