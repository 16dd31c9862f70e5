/// The connections of one loop. A place that becomes free is used again, the last one first, under a new generation.
struct ConnectionTable<Session: ByteSession> {
  /// All of them are `Connection<Session>`. The array is of a type that the compiler knows here, where it does not know
  /// the session's, and asks the runtime for every type that is made of it.
  private var places: [AnyObject?] = []
  private var generations: [UInt32] = []
  private var free: [UInt32] = []
  private(set) var count = 0

  /// The token that the next `insert` has to use.
  var nextToken: ConnectionToken {
    guard let place = free.last else { return ConnectionToken(place: UInt32(places.count), generation: 0) }
    return ConnectionToken(place: place, generation: generations[Int(place)])
  }

  mutating func insert(_ connection: Connection<Session>) {
    precondition(connection.token == nextToken, "a connection is inserted under the next token")
    if free.popLast() == nil {
      places.append(connection)
      generations.append(0)
    } else {
      places[Int(connection.token.place)] = connection
    }
    count += 1
  }

  /// Nil for a connection that is gone, whoever has its place now.
  subscript(token: ConnectionToken) -> Connection<Session>? {
    let place = Int(token.place)
    guard place < places.count, generations[place] == token.generation else { return nil }
    return places[place].map { unsafe unsafeDowncast($0, to: Connection<Session>.self) }
  }

  mutating func remove(_ token: ConnectionToken) {
    let place = Int(token.place)
    precondition(self[token] != nil, "a connection is removed once")
    places[place] = nil
    generations[place] &+= 1
    free.append(token.place)
    count -= 1
  }

  /// A copy: the caller closes connections while it goes through them.
  var all: [Connection<Session>] { places.compactMap { $0 as? Connection<Session> } }
}
