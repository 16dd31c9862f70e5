import Base
import Contract
import CurlTransport
import Upload

/// Who speaks plain HTTP. What a device notices is the same.
enum Way: CaseIterable {
  case libcurl, direct

  func configuration(_ basis: TransportConfiguration = TransportConfiguration()) -> TransportConfiguration {
    var configuration = basis
    configuration.isDirect = self == .direct
    return configuration
  }
}

/// A transport whose completions a test can wait for.
final class Post {
  let transport: CurlTransport
  private let completions: AsyncStream<TransportCompletion>
  private var nextID: UInt64 = 0

  init(_ way: Way = .libcurl, _ configuration: TransportConfiguration = TransportConfiguration()) throws {
    let (stream, continuation) = AsyncStream.makeStream(of: TransportCompletion.self)
    completions = stream
    transport = try CurlTransport(way.configuration(configuration)) { ended in
      for completion in ended { continuation.yield(completion) }
    }
  }

  deinit { transport.stop() }

  /// Submits, and returns the id. No request ends by its time-out unless the test wants that: a busy machine may take any time.
  @discardableResult
  func submit(
    _ url: String, device: Int = 0, method: String = "POST", headers: [NameValuePair] = [], body: [UInt8] = [],
    timeout: Nanoseconds = .seconds(3_600)
  ) -> UInt64 {
    nextID += 1
    transport.submit(
      OutgoingRequest(
        id: nextID, purpose: .records, method: method, url: url, headers: headers, body: body, timeout: timeout),
      device: device)
    return nextID
  }

  /// So many completions, in the order of their arrival.
  func take(_ count: Int) async -> [TransportCompletion] {
    var taken: [TransportCompletion] = []
    guard count > 0 else { return [] }
    for await completion in completions {
      taken.append(completion)
      if taken.count == count { break }
    }
    return taken
  }

  /// Submits and waits for the end, with nothing else in flight.
  func send(
    _ url: String, device: Int = 0, method: String = "POST", headers: [NameValuePair] = [], body: [UInt8] = [],
    timeout: Nanoseconds = .seconds(3_600)
  ) async -> TransportCompletion {
    submit(url, device: device, method: method, headers: headers, body: body, timeout: timeout)
    return await take(1)[0]
  }
}

extension TransportCompletion {
  /// What kept the answer from arriving.
  var failure: TransportFailure? {
    if case .failed(let failure, _) = outcome { failure } else { nil }
  }

  /// The words of a failure, which are not empty.
  var message: String? {
    if case .failed(_, let message) = outcome, !message.isEmpty { message } else { nil }
  }

  /// Status, phrase and body of an answer.
  var answer: (status: Int, reason: String, body: String)? {
    guard case .answered(let status, let reason, let body) = outcome else { return nil }
    return (status, reason, String(decoding: body, as: UTF8.self))
  }
}
