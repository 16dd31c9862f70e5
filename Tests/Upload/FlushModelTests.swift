import Base
import Contract
import Testing
import Vocabulary

@testable import Upload

/// Every sequence of inputs up to a depth, against the loop of SDK §9.2 told a second time.
@Suite struct FlushModelTests {
  private typealias Step = ReferenceFlush.Step

  private static let depth = 5

  @Test(
    arguments: [
      (nil, 1, false), (nil, 2, true), (2, 1, true), (2, 3, false),
    ] as [(Int?, Int, Bool)])
  func everyShortHistoryGoesAsTheModelSays(batch: Int?, threshold: Int, canRefresh: Bool) {
    let device = TestDevice {
      $0.http.batchSync = batch != nil
      $0.http.maxBatchSize = batch ?? -1
      $0.http.autoSyncThreshold = threshold
      if canRefresh { $0.authorization.refreshUrl = "http://server.example/refresh" }
    }
    let model = ReferenceFlush(batch: batch, threshold: threshold, canRefresh: canRefresh)
    var visited = 0
    var history: [Step] = []
    let failure = walk(device, model, &history, &visited)
    #expect(failure == nil)
    #expect(visited == (1...Self.depth).reduce(0) { $0 + power(Step.allCases.count, $1) })
  }

  private func power(_ base: Int, _ exponent: Int) -> Int { (0..<exponent).reduce(1) { product, _ in product * base } }

  /// Depth first; the first disagreement ends it.
  private func walk(
    _ device: TestDevice, _ model: ReferenceFlush, _ history: inout [Step], _ visited: inout Int
  ) -> String? {
    guard history.count < Self.depth else { return nil }
    for step in Step.allCases {
      var device = device
      var model = model
      history.append(step)
      visited += 1
      device.take(step)
      let expected = model.take(step)
      let words = device.effects.compactMap(\.word)
      if words != expected { return "\(history): \(words), not \(expected)" }
      if device.queue.ids != model.rows || device.queue.lockedIDs != model.locked
        || device.uploader.isBusy != model.isBusy || !device.queue.mistakes.isEmpty
      {
        return "\(history): rows \(device.queue.ids), locked \(device.queue.lockedIDs) \(device.queue.mistakes)"
      }
      if let failure = walk(device, model, &history, &visited) { return failure }
      history.removeLast()
    }
    return nil
  }
}

extension TestDevice {
  fileprivate mutating func take(_ step: ReferenceFlush.Step) {
    switch step {
    case .record: record()
    case .motionChange: give(.trigger(.motionChange))
    case .heartbeat: give(.trigger(.heartbeat))
    case .sync: give(.sync(completion: 1))
    case .network: give(.connectivity(uploader.connectivity == .none ? .wifi : .none))
    case .accepted: answer(200, #"{"access_token":"new"}"#)
    case .refused: answer(500)
    case .unauthorized: answer(401)
    case .lost: fail()
    case .late: give(.answered(request: lastID &- 1, .answered(status: 200, reason: "", body: [])))
    case .watchdog:
      advance(seconds: 65)
      give(.timersDue)
    }
  }
}

extension UploadEffect {
  /// The effect in the words of the model.
  fileprivate var word: String? {
    switch self {
    case .send(let request) where request.purpose == .records:
      // {"location":{"n":1}} or {"location":[{"n":1},{"n":2}]}
      let numbers = String(decoding: request.body, as: UTF8.self).split { !$0.isNumber }.compactMap { Int64($0) }
      return "send \(numbers)"
    case .send: return "refresh"
    case .http(let event): return "http \(event.status)"
    case .authorization(let event): return "authorization \(event.isSuccess)"
    case .tokens: return "tokens"
    case .synced(_, .success(let rows)): return "sync of \(rows.count)"
    case .synced(_, .failure(let error)): return "sync \(error.rawValue)"
    case .commands, .proceed, .discarded, .logUploaded, .log: return nil
    }
  }
}
