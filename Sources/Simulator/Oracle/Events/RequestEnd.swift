package import Upload

/// The end of a request: a status, or a failure without an answer.
package enum RequestEnd: Hashable {
  case status(Int)
  case failure(TransportFailure)
  /// The phone left the network while it waited, which says nothing about the server.
  case leftNetwork

  /// Of requests that are under way when the run ends.
  package static let openWord = "no answer by the end"

  /// Of requests whose app ended first.
  package static let abandonedWord = "app ended"

  package static let leftNetworkMessage = "the phone changed its network"

  package init(_ outcome: RequestOutcome) {
    switch outcome {
    case .answered(let status, reason: _, body: _): self = .status(status)
    case .failed(.reset, message: RequestEnd.leftNetworkMessage): self = .leftNetwork
    case .failed(let failure, message: _): self = .failure(failure)
    }
  }

  /// `status 503`, or why there was no answer.
  package var word: String {
    switch self {
    case .status(let status): RequestEnd.statusWord + "\(status)"
    case .failure(let failure): failure.word
    case .leftNetwork: "aborted by network change"
    }
  }

  private static let statusWord = "status "

  /// Whether an end with this word is an answer; nil for one that says nothing about the server.
  package static func isAnswer(_ word: String) -> Bool? {
    [RequestEnd.leftNetwork.word, abandonedWord].contains(word) ? nil : word.hasPrefix(statusWord)
  }

  package static func words(_ counts: [RequestEnd: Int]) -> [String: Int] {
    Dictionary(counts.map { ($0.key.word, $0.value) }, uniquingKeysWith: +)
  }
}

extension TransportFailure {
  /// The text for messages.
  package var word: String {
    switch self {
    case .unresolvable: "name unknown"
    case .refused: "connection refused"
    case .unreachable: "unreachable"
    case .tls: "no TLS"
    case .timeout: "no answer in time"
    case .reset: "connection reset"
    case .incomplete: "answer cut off"
    case .protocolError: "invalid HTTP"
    case .cancelled: "given up"
    case .invalidURL: "no URL"
    }
  }
}
