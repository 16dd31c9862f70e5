import HTTP1
import Network
import Synchronization

/// The body that is coming in.
extension IngestSession {
  /// False when the memory for large bodies is used up.
  func keep(_ bytes: Span<UInt8>) -> Bool {
    let count = body.count + bytes.count
    while count > BodyBudget.free + bodyBudget {
      guard context.bodies.takeStep() else { return false }
      bodyBudget += BodyBudget.step
    }
    // Grown by doubling, a body is in memory twice while it moves. What is reserved costs nothing before it is written.
    if count > BodyBudget.free, body.capacity < count, case .length(let length) = bodyFraming {
      body.reserveCapacity(length)
    }
    body.append(copying: bytes)
    return true
  }

  /// The rest is not read; the connection ends behind the answer.
  func turnBodyAway(_ output: inout SessionOutput) {
    guard case .reading(let exchange) = state else { preconditionFailure("there is no body to be turned away") }
    dropBody()
    answer(exchange, .overloaded, bodyComplete: false, &output)
  }

  /// Hands the body out and gives its memory back to the others: from here on it counts where it goes.
  func takeBody() -> [UInt8] {
    defer { dropBody() }
    return body
  }

  func dropBody() {
    body = []
    guard bodyBudget > 0 else { return }
    context.bodies.giveBack(bodyBudget)
    bodyBudget = 0
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
