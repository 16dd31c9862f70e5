import CCurl
import Contract
import Upload

extension Transfer {
  func set(_ option: CURLoption, _ value: Int) { accepted(option, unsafe rr_curl_set_long(easy, option, value)) }

  func set(_ option: CURLoption, _ value: String) { accepted(option, unsafe rr_curl_set_string(easy, option, value)) }

  func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
    accepted(option, unsafe rr_curl_set_pointer(easy, option, pointer))
  }

  /// Options are refused when they do not exist, when their value is out of range, and when memory has run out.
  func accepted(_ option: CURLoption, _ code: CURLcode) {
    precondition(code == CURLE_OK, "libcurl refuses option \(option.rawValue) with code \(code.rawValue)")
  }

  func setBody(_ body: [UInt8]) {
    let count = curl_off_t(body.count)
    accepted(CURLOPT_POSTFIELDSIZE_LARGE, unsafe rr_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, count))
    var body = body
    unsafe body.withUnsafeMutableBytes { bytes in
      // An empty array may have no address, and without one libcurl would ask a callback for the body.
      unsafe set(CURLOPT_COPYPOSTFIELDS, pointer: bytes.baseAddress ?? UnsafeMutableRawPointer(errorText))
    }
  }

  func setHeaders(_ fields: [NameValuePair]) {
    var list: UnsafeMutablePointer<curl_slist>?
    func append(_ line: String) {
      guard let longer = unsafe curl_slist_append(list, line) else { preconditionFailure("memory has run out") }
      unsafe list = unsafe longer
    }
    // A line with a colon and no value removes a header, one with a semicolon sends it empty (CURLOPT_HTTPHEADER(3)).
    for field in fields { append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)") }
    // What libcurl would add by itself, and a phone does not send.
    append("Expect:")
    if !fields.contains(where: { $0.name.lowercased() == "content-type" }) { append("Content-Type:") }
    accepted(CURLOPT_HTTPHEADER, unsafe rr_curl_set_list(easy, CURLOPT_HTTPHEADER, list))
    unsafe curl_slist_free_all(headers)
    unsafe headers = unsafe list
  }

  /// Longer strings libcurl does not take, https://curl.se/libcurl/c/curl_easy_setopt.html
  private static let stringLimit = 8_000_000

  /// What would end a line or a C string too early, or is no option's value.
  static func problem(of request: OutgoingRequest) -> RequestOutcome? {
    guard !request.url.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      return .failed(.invalidURL, message: "the URL holds a control character")
    }
    guard request.url.utf8.count <= stringLimit else { return .failed(.invalidURL, message: "the URL is too long") }
    guard
      (1...stringLimit).contains(request.method.utf8.count)
        && request.method.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      return .failed(.protocolError, message: "the method is no word")
    }
    for field in request.headers where [field.name, field.value].contains(where: isBroken) {
      return .failed(.protocolError, message: "a header holds a control character")
    }
    return nil
  }

  private static func isBroken(_ text: String) -> Bool { text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } }
}
