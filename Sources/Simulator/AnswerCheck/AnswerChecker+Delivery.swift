import Base
import Upload

/// Whether an answer came, and when.
extension AnswerChecker {
  func judgeDelivery(_ answer: ObservedAnswer, into judgement: inout Judgement) {
    guard case .failed(let failure, let message) = answer.outcome else {
      for clause in [Clause.reachable, .speaksHTTP, .wholeAnswer, .inTime] { judgement.judge(clause, nil) }
      judgeTime(answer, into: &judgement)
      return
    }
    let detail = "\(answer.request.url): \(message)"
    switch failure {
    case .unresolvable, .refused, .unreachable, .tls, .invalidURL: judgement.judge(.reachable, detail)
    case .protocolError: judgement.judge(.speaksHTTP, detail)
    case .reset, .incomplete: judgement.judge(.wholeAnswer, detail)
    case .timeout: judgement.judge(.inTime, "no answer within \(answer.request.timeout.shown)")
    case .cancelled: break
    }
  }

  private func judgeTime(_ answer: ObservedAnswer, into judgement: inout Judgement) {
    let limit = answer.request.timeout
    judgement.judge(
      .quick, isBroken: answer.duration.count > limit.count / 2,
      "it took \(answer.duration.shown) of \(limit.shown)")
  }
}

extension Nanoseconds {
  /// For people.
  var shown: String {
    count < 1_000_000_000 ? "\(wholeMilliseconds) ms" : "\(Double(wholeMilliseconds / 100) / 10) s"
  }
}
