/// Messages from which mutations are made, and byte strings with meaning in the language.
package enum HTTP1Corpus {
  package static let requests: [[UInt8]] = [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /locations?token=a%20b&c=+d HTTP/1.1\r\nHost: example.com:8080\r\nContent-Type: application/json\r\n"
      + "Authorization: Bearer abc.def.ghi\r\nContent-Length: 5\r\n\r\nhello",
    "POST /a/b%2Fc/%C3%A9 HTTP/1.1\r\nHost: [::1]:80\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
      + "5;name=\"va\\\"lue\";x\r\nhello\r\n0006\r\n world\r\n0\r\nTrailer-Field: value\r\n\r\n",
    "GET http://example.com/x?y HTTP/1.0\r\nConnection: keep-alive, Foo\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
    "\r\n\r\nHEAD /a//b/ HTTP/1.1\r\nHost: h\r\nX: \tobs-text \u{E9}\t \r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n",
    "POST /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcPOST /2 HTTP/1.1\r\nHost: h\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\n\r\nGET /3 HTTP/1.1\r\nHost: h\r\n\r\n",
  ].map { Array($0.utf8) }

  package static let responses: [[UInt8]] = [
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.0 404 Not Found\r\nServer: x\r\n\r\nuntil the end",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\nHTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n"
      + "Content-Length: 0\r\nConnection: close\r\n\r\n",
  ].map { Array($0.utf8) }

  package static let tokens: [[UInt8]] = [
    "\r\n", "\r", "\n", "\r\n\r\n", " ", "\t", ":", ",", ";", "\"", "\\", "\0", "%", "%2F", "%2e%2e", "/..", "//", "?",
    "#", "Host: b\r\n", "Content-Length: 0\r\n", "Content-Length: 5\r\n", "Content-Length: +5\r\n",
    "Content-Length: 5, 5\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n",
    "Transfer-Encoding: identity\r\n", "Transfer-Encoding : chunked\r\n", " folded\r\n", "Expect: 100-continue\r\n",
    "Connection: close\r\n", "HTTP/1.0", "HTTP/1.1", "HTTP/2.0", "chunked", "0\r\n\r\n", "FFFFFFFFFFFFFFFF\r\n",
    "00000000",
    ";a=b", "1\r\nx\r\n", "GET / HTTP/1.1\r\nHost: s\r\n\r\n", "http://u@h/", "*",
  ].map { Array($0.utf8) }

  package static let multipart: [[UInt8]] = [
    "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--b\r\nContent-Disposition: form-data; "
      + "name=\"f\"; filename=\"x y.txt\"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\ntwo\r\nlines\r\n--b--\r\n",
    "preamble\r\n--b \t\r\nContent-Disposition: form-data; name=e\r\n\r\n\r\n--b--epilogue",
  ].map { Array($0.utf8) }
}
