/// Names one connection of one loop for ever: the place in the table is used again, the generation is not, so that an
/// event or a message for a connection that is gone is recognised. Places 0xFFFF_FFF0 and above are not connections.
package struct ConnectionToken: Hashable, Sendable {
  let place: UInt32
  let generation: UInt32

  init(place: UInt32, generation: UInt32) {
    self.place = place
    self.generation = generation
  }

  /// From a word that went through epoll, or with somebody who keeps words only.
  package init(word: UInt64) {
    self.init(place: UInt32(truncatingIfNeeded: word), generation: UInt32(truncatingIfNeeded: word >> 32))
  }

  package var word: UInt64 { UInt64(generation) << 32 | UInt64(place) }

  static let listener = ConnectionToken(place: 0xFFFF_FFF0, generation: 0)
  static let mailbox = ConnectionToken(place: 0xFFFF_FFF1, generation: 0)
}
