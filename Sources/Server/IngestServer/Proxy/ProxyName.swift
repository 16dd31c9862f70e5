internal import Base
import Contract
import HTTP1

/// What a proxy calls itself in Via and Proxy-Status. No other proxy has the name, so that a request which comes back is known.
struct ProxyName: Sendable {
  let text: String
  private let lines: (http10: [UInt8], http11: [UInt8])

  init(_ text: String) {
    self.text = text
    lines = (Array("\(HeaderName.via): 1.0 \(text)\r\n".utf8), Array("\(HeaderName.via): 1.1 \(text)\r\n".utf8))
  }

  /// `rollingroad-` and eight digits.
  static func own() -> ProxyName {
    let digits = String(UInt32.random(in: .min ... .max), radix: 16)
    return ProxyName("rollingroad-" + String(repeating: "0", count: 8 - digits.count) + digits)
  }

  /// RFC 9110 §7.6.3: the version in which the message came, and who passed it on.
  func via(_ version: HTTPVersion) -> [UInt8] { version == .http10 ? lines.http10 : lines.http11 }

  /// The request has passed here before (RFC 9110 §7.6.3).
  func hasPassed(_ head: borrowing RequestHead) -> Bool {
    for field in head.fields.list where head[field.name].isSameName(HeaderName.via) {
      for element in (head.fields.text(field.value) ?? "").split(separator: ",") {
        // Protocol, name, and perhaps a comment.
        let words = element.split { $0 == " " || $0 == "\t" }
        if words.count > 1, words[1].lowercased() == text { return true }
      }
    }
    return false
  }

  /// RFC 5842 §7.2; the field says that the answer is none of the upstream's (RFC 9209 §2.3).
  var loopAnswer: Response {
    // As those of UpstreamFailure, the code is one of the traffic's side: no route of the contract has it.
    let code = "loop_detected"
    return .error(
      508, code,
      "the request has passed this proxy before: its --upstream leads back to it; name the backend itself"
    ).with(HeaderName.proxyStatus, "\(text); error=\(Self.loopError)")
  }

  /// Some proxy on the way has found a loop, this one or another.
  static func tellsLoop(status: Int, head: [UInt8]) -> Bool {
    status == 508 && String(decoding: head, as: UTF8.self).contains("error=\(loopError)")
  }

  private static let loopError = "proxy_loop_detected"
}
