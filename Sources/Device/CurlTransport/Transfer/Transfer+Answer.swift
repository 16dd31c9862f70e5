import Base
import CCurl
import Upload

extension Transfer {
  func setCallbacks() {
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe set(CURLOPT_WRITEDATA, pointer: this)
    unsafe set(CURLOPT_HEADERDATA, pointer: this)
    let write = unsafe rr_curl_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, user in
      unsafe Transfer.of(user).take(body: UnsafeRawBufferPointer(start: bytes, count: count))
    }
    accepted(CURLOPT_WRITEFUNCTION, write)
    let head = unsafe rr_curl_set_bytes_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, _, count, user in
      unsafe Transfer.of(user).take(line: UnsafeRawBufferPointer(start: bytes, count: count))
    }
    accepted(CURLOPT_HEADERFUNCTION, head)
  }

  /// The transfer behind the pointer that it gave to libcurl.
  static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
    guard let pointer = unsafe pointer else { preconditionFailure("a handle knows its transfer") }
    return unsafe Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Fewer bytes than there were end the transfer.
  private func take(body bytes: UnsafeRawBufferPointer) -> Int {
    guard body.count + bytes.count <= answerLimit else { return 0 }
    unsafe body.append(contentsOf: bytes)
    return bytes.count
  }

  /// Header lines come one by one, those of interim answers (RFC 9110 §15.2) first.
  private func take(line bytes: UnsafeRawBufferPointer) -> Int {
    if unsafe bytes.starts(with: "HTTP/".utf8) {
      let words = unsafe bytes.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
      reason = unsafe words.count == 3 ? words[2].filter { $0 >= 0x20 } : []
      isHeadWhole = false
      head = []
    } else if unsafe bytes.allSatisfy({ $0 == 13 || $0 == 10 }) {
      isHeadWhole = true
    }
    if keepsHead { unsafe head.append(contentsOf: bytes) }
    return bytes.count
  }

  func outcome(_ code: CURLcode) -> RequestOutcome {
    defer { (reason, body) = ([], []) }
    if code == CURLE_OK {
      // libcurl is content with a part of the head; a record must not be deleted on the word of half an answer.
      guard isHeadWhole || connectsOnly else {
        return .failed(.incomplete, message: "the connection ended within the answer's head")
      }
      return .answered(
        status: long(CURLINFO_RESPONSE_CODE), reason: String(decoding: reason, as: UTF8.self), body: body)
    }
    let hasSent = offset(CURLINFO_PRETRANSFER_TIME_T) > 0
    let failure = TransportFailure(code, systemError: long(CURLINFO_OS_ERRNO), hasSent: hasSent)
    // The buffer says more than the code, but not always anything.
    let text = unsafe String(cString: errorText)
    return .failed(failure, message: text.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : text)
  }

  var timings: TransferTimings {
    var timings = TransferTimings()
    timings.nameResolved = .microseconds(offset(CURLINFO_NAMELOOKUP_TIME_T))
    timings.connected = .microseconds(offset(CURLINFO_CONNECT_TIME_T))
    timings.secured = .microseconds(offset(CURLINFO_APPCONNECT_TIME_T))
    timings.firstByte = .microseconds(offset(CURLINFO_STARTTRANSFER_TIME_T))
    timings.total = .microseconds(offset(CURLINFO_TOTAL_TIME_T))
    timings.newConnections = long(CURLINFO_NUM_CONNECTS)
    timings.sentBytes = long(CURLINFO_REQUEST_SIZE)
    timings.receivedBytes = long(CURLINFO_HEADER_SIZE) + Int(offset(CURLINFO_SIZE_DOWNLOAD_T))
    return timings
  }

  private func long(_ info: CURLINFO) -> Int {
    var value = 0
    let code = unsafe rr_curl_get_long(easy, info, &value)
    precondition(code == CURLE_OK, "libcurl does not know \(info.rawValue)")
    return value
  }

  private func offset(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    let code = unsafe rr_curl_get_offset(easy, info, &value)
    precondition(code == CURLE_OK, "libcurl does not know \(info.rawValue)")
    return Int64(value)
  }
}
