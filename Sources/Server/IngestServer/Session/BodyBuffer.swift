import HTTP1
import Network
import Synchronization

/// The bytes of a body as far as they are kept, and what they take of the memory for bodies.
struct BodyBuffer {
  private(set) var bytes: [UInt8] = []
  /// Of what it may take beyond `BodyBudget.free`.
  private var budget = 0
  /// Nothing was left out.
  private(set) var isWhole = true

  /// False when there is no room; nothing more is kept from then on.
  mutating func append(
    _ new: Span<UInt8>, of framing: BodyFraming, in pool: BodyBudget, atMost limit: Int = .max
  ) -> Bool {
    guard isWhole else { return false }
    let count = bytes.count + new.count
    guard count <= limit else { return close() }
    while count > BodyBudget.free + budget {
      guard pool.takeStep() else { return close() }
      budget += BodyBudget.step
    }
    // Grown by doubling, a body is in memory twice while it moves. What is reserved costs nothing before it is written.
    if count > BodyBudget.free, bytes.capacity < count, case .length(let length) = framing {
      bytes.reserveCapacity(min(length, limit))
    }
    bytes.append(copying: new)
    return true
  }

  private mutating func close() -> Bool {
    isWhole = false
    return false
  }

  /// Hands the bytes out and gives their memory back to the others: from here on they count where they go. Empty afterwards.
  mutating func take(_ pool: BodyBudget) -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    if budget > 0 { pool.giveBack(budget) }
    self = BodyBuffer()
    return taken
  }
}

/// The body that is coming in.
extension IngestSession {
  /// False when the memory for large bodies is used up.
  func keep(_ bytes: Span<UInt8>) -> Bool { body.append(bytes, of: bodyFraming, in: context.bodies) }

  func takeBody() -> [UInt8] { body.take(context.bodies) }

  /// The rest is not read; the connection ends behind the answer.
  func turnBodyAway(_ output: inout SessionOutput) {
    guard case .reading(let exchange) = state else { preconditionFailure("there is no body to be turned away") }
    _ = takeBody()
    answer(exchange, .overloaded, bodyComplete: false, &output)
  }
}

/// The memory of all bodies that are coming in, as far as they are longer than `free`: many clients that each send most of a
/// large body and then wait must not fill the memory. Short bodies never ask, so that devices get through meanwhile.
final class BodyBudget: Sendable {
  /// Bytes that every body may have.
  static let free = 65_536
  /// Taken at a time, so that the loops seldom meet here.
  static let step = 65_536

  private let limit: Int
  private let taken = Atomic(0)

  /// In bytes, for all loops together.
  init(limit: Int) { self.limit = limit }

  /// False when there is no room for one more step.
  func takeStep() -> Bool {
    let now = taken.add(Self.step, ordering: .relaxed).newValue
    guard now > limit else { return true }
    giveBack(Self.step)
    return false
  }

  func giveBack(_ bytes: Int) { taken.subtract(bytes, ordering: .relaxed) }
}

extension BodyFraming {
  /// The body of a refused request is short enough to be read and dropped for the sake of the connection.
  var isWorthReading: Bool {
    switch self {
    case .none: true
    case .length(let count): count <= 65_536
    case .chunked, .untilClose: false
    }
  }
}
