import Synchronization

/// The keys of servers in virtual time: the first one of each server is the first one here, and so on. They keep no secret, and a key of
/// RSA takes a fifth of a second of processor time, which each of many short runs would spend anew.
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
