import Base
import CurlTransport
import Support
import Testing
import Upload

/// What a bare server answers, and what becomes of it.
@Suite(.timeLimit(.minutes(10))) struct AnswerTests {
  @Test(arguments: Way.allCases) func everyStatusIsAnAnswerWithItsPhrase(_ way: Way) async throws {
    let server = try BareServer { request in
      let status = request.lines[0].split(separator: " ")[1].dropFirst()
      return .text("HTTP/1.1 \(status) Phrase of \(status)\r\nContent-Length: 0\r\nLocation: /elsewhere\r\n\r\n")
    }
    let post = try Post(way)
    for status in 200...599 {
      let answer = await post.send(server.url + "\(status)").answer
      #expect(answer?.status == status && answer?.reason == "Phrase of \(status)" && answer?.body == "")
    }
    #expect(server.requests.count == 400, "no redirect was followed and nothing was repeated (SDK §9.1)")
    #expect(server.opened == 1)
  }

  @Test(
    arguments: Way.allCases,
    [
      ("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", "", "ok"),
      ("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", "", "ok"),
      (
        "HTTP/1.1 200 All is well\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>", "All is well",
        "<html>"
      ),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\n\r\n", "OK",
        "abcde"
      ),
      ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Fine\r\nContent-Length: 1\r\n\r\nx", "Fine", "x"),
      ("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 Late\r\nContent-Length: 0\r\n\r\n", "Late", ""),
      // Longer than it says: the rest belongs to no answer.
      ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", "OK", "abc"),
    ])
  func answersThatAreWhole(_ way: Way, _ answer: (text: String, reason: String, body: String)) async throws {
    let (text, reason, body) = answer
    let server = try BareServer { _ in .text(text) }
    let taken = try await Post(way).send(server.url, body: [1]).answer
    #expect(taken?.status == 200 && taken?.reason == reason && taken?.body == body)
  }

  @Test(arguments: Way.allCases) func theHeadOfTheLastAnswerIsKeptWhenWanted(_ way: Way) async throws {
    let server = try BareServer { _ in
      .text("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: b\r\n\r\n")
    }
    var configuration = TransportConfiguration()
    let without = try await Post(way, configuration).send(server.url)
    #expect(without.head == [])
    configuration.keepsHeads = true
    let post = try Post(way, configuration)
    for _ in 0..<2 {
      let head = await post.send(server.url).head
      #expect(String(decoding: head, as: UTF8.self) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: b\r\n\r\n")
    }
  }

  @Test(arguments: Way.allCases) func anAnswerWithoutALengthEndsWithItsConnection(_ way: Way) async throws {
    let server = try BareServer { _ in .close(Array("HTTP/1.0 200 OK\r\n\r\nto the end".utf8)) }
    #expect(try await Post(way).send(server.url).answer?.body == "to the end")
  }

  @Test(arguments: Way.allCases, ["gzip", "x-gzip"])
  func aCompressedAnswerIsUnpacked(_ way: Way, coding: String) async throws {
    // gzip of "hello" in a stored block (RFC 1952, RFC 1951 §3.2.4).
    let packed: [UInt8] =
      [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0xFA, 0xFF] + Array("hello".utf8)
      + [0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0]
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(packed.count)\r\n\r\n"
    let server = try BareServer { _ in .keep(Array(head.utf8) + packed) }
    #expect(try await Post(way).send(server.url).answer?.body == "hello")
    #expect(server.requests[0].values(of: "accept-encoding") == ["gzip"])
  }

  /// Nothing is packed in it, whatever the coding of the server's other answers is.
  @Test(arguments: Way.allCases) func anEmptyAnswerMayNameACoding(_ way: Way) async throws {
    let server = try BareServer { _ in
      .text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n")
    }
    let answer = try await Post(way).send(server.url).answer
    #expect(answer?.status == 200 && answer?.body == "")
  }

  @Test(arguments: Way.allCases) func aSlowAnswerIsWaitedFor(_ way: Way) async throws {
    let pieces = ["HTTP/1.1 2", "00 OK\r\nContent-", "Length: 4\r\n\r\n", "sl", "ow"].map { Array($0.utf8) }
    let server = try BareServer { _ in .trickle(pieces, milliseconds: 10) }
    let completion = try await Post(way).send(server.url)
    #expect(completion.answer?.body == "slow")
    // Five pauses of ten milliseconds, by two clocks.
    #expect(completion.timings.total >= .milliseconds(45))
  }

  @Test(arguments: Way.allCases) func aBigAnswerArrivesAndATooBigOneDoesNot(_ way: Way) async throws {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000)
    let server = try BareServer { _ in
      .keep(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
    }
    #expect(try await Post(way).send(server.url).answer?.body.utf8.count == body.count)
    var configuration = TransportConfiguration()
    configuration.answerLimit = body.count
    #expect(try await Post(way, configuration).send(server.url).answer?.status == 200)
    configuration.answerLimit = body.count - 1
    #expect(try await Post(way, configuration).send(server.url).failure == .protocolError)
  }
}
