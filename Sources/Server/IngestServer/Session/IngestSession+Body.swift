import HTTP1
import Network

/// The body that is coming in.
extension IngestSession {
  /// False when the memory for large bodies is used up.
  func keep(_ bytes: Span<UInt8>) -> Bool {
    let count = body.count + bytes.count
    while count > BodyBudget.free + bodyBudget {
      guard context.bodies.takeStep() else { return false }
      bodyBudget += BodyBudget.step
    }
    // Grown by doubling, a body lies in memory twice while it moves. What is reserved costs nothing before it is written.
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
