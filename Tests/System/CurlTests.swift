import CCurl
import Testing

@Suite struct CurlTests {
  private func withEasy(_ body: (UnsafeMutableRawPointer) throws -> Void) throws {
    let easy = try unsafe #require(curl_easy_init())
    defer { unsafe curl_easy_cleanup(easy) }
    unsafe try body(easy)
  }

  /// A `data:` or `file:` transfer needs no network; file is what every build of curl has.
  @Test func settersAreObeyedAndInformationComesBack() throws {
    try unsafe withEasy { easy in
      var received: [UInt8] = []
      let append: rr_curl_bytes_callback = { bytes, size, count, user in
        guard let bytes = unsafe bytes, let user = unsafe user else { return 0 }
        let new = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        unsafe user.assumingMemoryBound(to: [UInt8].self).pointee.append(contentsOf: new)
        return size * count
      }
      let marker = unsafe UnsafeMutableRawPointer(bitPattern: 0x1234)
      let code = unsafe withUnsafeMutablePointer(to: &received) { pointer in
        #expect(unsafe rr_curl_set_string(easy, CURLOPT_URL, "file:///proc/self/comm") == CURLE_OK)
        #expect(unsafe rr_curl_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION, append) == CURLE_OK)
        #expect(unsafe rr_curl_set_pointer(easy, CURLOPT_WRITEDATA, pointer) == CURLE_OK)
        #expect(unsafe rr_curl_set_pointer(easy, CURLOPT_PRIVATE, marker) == CURLE_OK)
        #expect(unsafe rr_curl_set_long(easy, CURLOPT_NOSIGNAL, 1) == CURLE_OK)
        return unsafe curl_easy_perform(easy)
      }
      #expect(code == CURLE_OK)
      #expect(!received.isEmpty)

      var length: curl_off_t = 0
      #expect(unsafe rr_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T, &length) == CURLE_OK)
      #expect(length == curl_off_t(received.count))
      var status = -1
      #expect(unsafe rr_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK)
      #expect(status == 0)
      var pointer: UnsafeMutableRawPointer?
      #expect(unsafe rr_curl_get_pointer(easy, CURLINFO_PRIVATE, &pointer) == CURLE_OK)
      #expect(unsafe pointer == marker)
      var url: UnsafePointer<CChar>?
      #expect(unsafe rr_curl_get_string(easy, CURLINFO_EFFECTIVE_URL, &url) == CURLE_OK)
      #expect(unsafe url.map { unsafe String(cString: $0) } == "file:///proc/self/comm")
    }
  }

  @Test func aSizeLimitOfMoreThan32BitsArrivesWhole() throws {
    try unsafe withEasy { easy in
      #expect(unsafe rr_curl_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, 1 << 40) == CURLE_OK)
      #expect(unsafe rr_curl_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, -5) == CURLE_BAD_FUNCTION_ARGUMENT)
    }
  }

  @Test func aListOfHeadersIsAccepted() throws {
    try unsafe withEasy { easy in
      let headers = unsafe curl_slist_append(nil, "Content-Type: application/json")
      defer { unsafe curl_slist_free_all(headers) }
      #expect(unsafe rr_curl_set_list(easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK)
    }
  }

  @Test func anOptionThatDoesNotExistIsRefused() throws {
    try unsafe withEasy { easy in
      #expect(unsafe rr_curl_set_long(easy, CURLoption(rawValue: 9_999), 1) == CURLE_UNKNOWN_OPTION)
    }
  }

  @Test func theMultiInterfaceTakesItsCallbacks() throws {
    let multi = try unsafe #require(curl_multi_init())
    defer { unsafe curl_multi_cleanup(multi) }
    #expect(unsafe rr_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 7) == CURLM_OK)
    #expect(unsafe rr_curl_multi_set_socket_callback(multi) { _, _, _, _, _ in 0 } == CURLM_OK)
    #expect(
      unsafe rr_curl_multi_set_timer_callback(multi) { _, timeout, user in
        unsafe user?.assumingMemoryBound(to: Int.self).pointee = timeout
        return 0
      } == CURLM_OK)
    var timeout = -1
    unsafe withUnsafeMutablePointer(to: &timeout) { pointer in
      #expect(unsafe rr_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, pointer) == CURLM_OK)
      guard let easy = unsafe curl_easy_init() else { return }
      // A new transfer makes curl ask for an immediate time-out.
      #expect(unsafe curl_multi_add_handle(multi, easy) == CURLM_OK)
      #expect(unsafe pointer.pointee == 0)
      #expect(unsafe curl_multi_remove_handle(multi, easy) == CURLM_OK)
      unsafe curl_easy_cleanup(easy)
    }
  }
}
