import CCurl
import CLinux
import COpenSSL
import CSQLite
import Testing

@Test func placeholder() { #expect(rr_eventfd() >= 0); _ = sqlite3_libversion_number(); _ = CURLOPT_URL; _ = CURLE_OK }
