import Support
import TLS
import Testing

@testable import IngestServer

/// The code and the page by which phones come to trust an authority of development.
@Suite struct TrustPageTests {
  /// As another encoder draws it (python-qrcode 8, mask 2).
  @Test func aCodeIsDrawnAsByOthers() throws {
    let expected = """
      #######...#.##.#..###.#######
      #.....#.#.#..###..#...#.....#
      #.###.#.....##.##.....#.###.#
      #.###.#.###.#.#..#..#.#.###.#
      #.###.#..#......#.###.#.###.#
      #.....#.##.##..###..#.#.....#
      #######.#.#.#.#.#.#.#.#######
      .........###..###..##........
      #####.####.#.....#.#.#.#.#.#.
      .##..#.##.#.###.#.##..#.#...#
      ...#..##..#..###.....#.......
      #.####......##.##....#.#...#.
      .#.####.###.#.#####.##...##..
      #...##..#.......####.##.#.#.#
      ....####...##..#.#....#.#.#..
      .#####.....#..##.....##.#..#.
      .#########.#.....#.###.#..#..
      #.##.#.####.###.#..#..#.###.#
      #.#.#####....###.....#...##..
      #.#.##...##.##..#.#..###...#.
      #.#.#.#.#...#.#..#..#####.###
      ........#..........##...#####
      #######.#####..#.####.#.###..
      #.....#....#..###.#.#...#..#.
      #.###.#.#.##...###..#######..
      #.###.#.##..###.#....#.....##
      #.###.#.###..####...#.#.##.#.
      #.....#.#.#.##.....####.#..#.
      #######.##..#.####...##.###..
      """
    let code = try #require(QRCode(Array("http://10.0.0.2:8080/page/trust.html".utf8), mask: 2))
    let drawn = (0..<code.size).map { row in
      String((0..<code.size).map { code.isDark(row, $0) ? "#" : "." })
    }.joined(separator: "\n")
    #expect(drawn == expected)
  }

  /// All versions, full and not, under all masks: the digest is that of the other encoder's.
  @Test func allVersionsAndMasksAreAsThoseOfOthers() throws {
    let text =
      Array("http://192.168.178.20:8080/page/rollingroad.mobileconfig?".utf8) + [UInt8](repeating: 0x61, count: 60)
    var modules: [UInt8] = []
    for length in [1, 17, 18, 32, 33, 53, 54, 78, 79, 106] {
      for mask in 0..<8 {
        let code = try #require(QRCode(Array(text[..<length]), mask: mask))
        modules += code.modules.map { $0 ? 0x31 : 0x30 }
      }
    }
    let digest = Cryptography.sha256(modules).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(digest == "6443e564bbdde0c9a8ce63cb7512791695ae9b84fd27b166f3b1f05ba9039a38")
  }

  @Test func thereIsRoomForSoManyBytes() {
    #expect(QRCode([UInt8](repeating: 0x61, count: 106))?.size == 37)
    #expect(QRCode([UInt8](repeating: 0x61, count: 107)) == nil)
  }

  @Test func aPhoneIsLedToItsFile() throws {
    let folder = try TemporaryFolder()
    let page = TrustPage(authority: DevelopmentAuthority(in: folder.file("tls"), names: []))
    let origin = "http://10.0.0.2:8080"
    #expect(page.answer("trust.html", at: origin) == nil, "there is no authority yet")
    try page.authority.prepare()
    let answer = try #require(page.answer("trust.html", at: origin))
    let text = String(decoding: answer.body, as: UTF8.self)
    let code = try #require(QRCode(Array("http://10.0.0.2:8080/page/trust.html".utf8)))
    #expect(text.contains(code.svg))
    let fingerprint = try #require(try page.authority.fingerprint())
    #expect(text.contains(fingerprint))
    for own in ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"] {
      let answer = try #require(page.answer("trust.html", at: own))
      #expect(!String(decoding: answer.body, as: UTF8.self).contains("<svg"), "\(own)")
    }
    for (name, mark) in [
      ("rollingroad.mobileconfig", "com.apple.security.root"), ("rollingroad_authority.pem", "BEGIN CERTIFICATE"),
    ] {
      #expect(text.contains("href=\"\(name)\""))
      let file = try #require(page.answer(name, at: origin))
      #expect(String(decoding: file.body, as: UTF8.self).contains(mark))
    }
    #expect(page.answer("authority.key", at: origin) == nil && page.answer("app.js", at: origin) == nil)
  }
}
