/// Appends the start of a response; the fields follow with `HeadWriter`.
package enum ResponseWriter {
  /// `HTTP/1.1 200 OK`. The version is ours, whatever the request's was (RFC 9110 §2.5).
  package static func statusLine(_ status: Int, into out: inout [UInt8]) {
    precondition((100...599).contains(status), "no status code")
    out.append("HTTP/1.1 ")
    out.append(decimal: status)
    out.append(" ")
    out.append(StatusReason.phrase(for: status))
    out.append("\r\n")
  }

  /// The complete interim answer to a client that waits before it sends its body.
  package static func interimContinue(into out: inout [UInt8]) { out.append("HTTP/1.1 100 Continue\r\n\r\n") }
}
