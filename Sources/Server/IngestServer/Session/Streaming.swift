import Base
import HTTP1
import Network
import Store

extension IngestSession {
  /// Where a long answer stands.
  struct Streaming {
    /// False while a page is on its way.
    var mayAsk = true
    let isChunked: Bool
    var rest: ContentPage.Source
  }

  /// How long a session waits when the readers are busy; the client notices nothing but a slower answer.
  private static let pause = Nanoseconds.milliseconds(20)

  /// The head and the first page are written. Each further page is asked for when the connection has room for it.
  func beginStreaming(_ response: Response, _ exchange: Exchange) {
    guard let rest = response.rest else { preconditionFailure("an answer without a rest is whole") }
    state = .streaming(Streaming(isChunked: exchange.version != .http10, rest: rest))
    wishes.wantsInput = false
    wishes.hasMoreOutput = true
  }

  func askForPage(_ output: inout SessionOutput) {
    guard case .streaming(var streaming) = state, streaming.mayAsk else { return }
    let isAsked =
      switch streaming.rest {
      case .store(let page):
        context.ask(
          { reader in do throws(StoreError) { return .turned(try page(reader)) } catch { return .torn(error) } },
          address)
      case .journal(let page):
        context.journal?.ask(
          { journal in do throws(StoreError) { return .turned(try page(journal)) } catch { return .torn(error) } },
          address) ?? false
      }
    streaming.mayAsk = !isAsked
    state = .streaming(streaming)
    wishes.hasMoreOutput = false
    wishes.alarm = isAsked ? nil : output.now + Self.pause
  }

  func turn(to page: ContentPage, _ output: inout SessionOutput) {
    guard case .streaming(let streaming) = state else { return }
    if streaming.isChunked {
      ChunkWriter.chunk(page.bytes.span, into: &output.bytes)
    } else {
      output.bytes += page.bytes
    }
    if let next = page.next {
      state = .streaming(Streaming(isChunked: streaming.isChunked, rest: next))
      wishes.hasMoreOutput = true
    } else {
      if streaming.isChunked { ChunkWriter.end(into: &output.bytes) }
      proceed()
    }
  }

  /// It is too late for a status. What the client has is left without its end, and the reset says that it is not the
  /// whole (RFC 9112 §8).
  func tear() {
    guard case .streaming = state else { return }
    state = .finished
    wishes.ending = .reset
  }
}
