import HTTP1
import Network
import Synchronization

/// The buffered bytes of a request body, and the memory they take from the budget for bodies.
struct BodyBuffer {
  private(set) var bytes: [UInt8] = []
  /// The bytes reserved beyond `BodyBudget.free`.
  private var budget = 0
  /// Whether every byte was kept.
  private(set) var isWhole = true

  /// Returns false when there is no room; then no further bytes are kept.
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
    // Doubling would hold a body in memory twice while it is copied. Reserved memory costs nothing until it is written.
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

  /// Returns the bytes and gives their memory back to the budget; the receiver accounts for them. The buffer is empty
  /// afterwards.
  mutating func take(_ pool: BodyBudget) -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    if budget > 0 { pool.giveBack(budget) }
    self = BodyBuffer()
    return taken
  }
}

/// Buffering of the incoming body.
extension IngestSession {
  /// Returns false when the memory for large bodies is exhausted.
  func keep(_ bytes: Span<UInt8>) -> Bool { body.append(bytes, of: bodyFraming, in: context.bodies) }

  func takeBody() -> [UInt8] { body.take(context.bodies) }

  /// Stops reading the body; the connection is closed after the answer.
  func refuseRestOfBody(_ output: inout SessionOutput) {
    guard case .reading(let exchange) = state else { preconditionFailure("only a body that is being read is refused") }
    _ = takeBody()
    answer(exchange, .overloaded, bodyComplete: false, &output)
  }
}

/// The memory for all incoming bodies, beyond the first `free` bytes of each: many clients that each send most of a large body
/// and then stall must not fill the memory. Short bodies take nothing from it, so that devices are served meanwhile.
final class BodyBudget: Sendable {
  /// The bytes that every body may use without reservation.
  static let free = 65_536
  /// The size of a reservation, large enough that the loops seldom contend here.
  static let step = 65_536

  private let limit: Int
  private let taken = Atomic(0)

  /// `limit` is in bytes, for all loops together.
  init(limit: Int) { self.limit = limit }

  /// Returns false when there is no room for one more step.
  func takeStep() -> Bool {
    let now = taken.add(Self.step, ordering: .relaxed).newValue
    guard now > limit else { return true }
    giveBack(Self.step)
    return false
  }

  func giveBack(_ bytes: Int) { taken.subtract(bytes, ordering: .relaxed) }
}

extension BodyFraming {
  /// Whether the body of a refused request is short enough to be read and discarded to keep the connection.
  var isWorthReading: Bool {
    switch self {
    case .none: true
    case .length(let count): count <= 65_536
    case .chunked, .untilClose: false
    }
  }
}
