import Base
import Contract
import CurlTransport
import Upload

/// Asks a server beside the run, one question after the other.
final class Questioner {
  private let transport: DrivenTransport
  private var asked: UInt64 = 0

  private static let answerBytesMax = 1 << 30

  init(_ configuration: TransportConfiguration) throws(TransportError) {
    var configuration = configuration
    configuration.answerLimit = Questioner.answerBytesMax
    configuration.sourceAddresses = []
    transport = try DrivenTransport(configuration)
  }

  /// Waits for the answer.
  func ask(
    _ url: String, by method: String = "GET", headers: [NameValuePair] = [], body: [UInt8] = [], seconds: Int64 = 60
  ) -> RequestOutcome {
    asked += 1
    let request = OutgoingRequest(
      id: asked, purpose: .records, method: method, url: url, headers: headers, body: body, timeout: .seconds(seconds))
    transport.submit(request, device: 0)
    while true {
      if let end = transport.turn(until: nil).first { return end.outcome }
    }
  }
}

extension RequestOutcome {
  /// What kept a question from being answered with 200; nil when nothing did.
  var refusal: String? {
    switch self {
    case .answered(status: 200, reason: _, body: _): nil
    case .answered(let status, reason: _, body: _): "status \(status)"
    case .failed(_, let message): message
    }
  }

  /// Who asks has to say who they are.
  var wantsToken: Bool { status == 401 || status == 403 }

  var body: [UInt8] {
    if case .answered(_, reason: _, let body) = self { body } else { [] }
  }
}
