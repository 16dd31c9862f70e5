import Base
import HTTP1
import Network
import Store

/// Produces an answer that takes more than one call: it waits, or is sent in pieces. The session forwards its calls to the
/// responder until its state changes.
protocol Responder: AnyObject {
  /// Called when there is room for more output.
  func produce(_ session: IngestSession, _ output: inout SessionOutput)
  func alarmFired(_ session: IngestSession, _ output: inout SessionOutput)
  func delivered(_ message: SessionMessage, _ session: IngestSession, _ output: inout SessionOutput)
  /// Called when the server is about to stop.
  func drain(_ session: IngestSession, _ output: inout SessionOutput)
  /// Called after the connection was closed.
  func closed(_ session: IngestSession)
  /// The request for which nothing has been written or recorded yet.
  var unanswered: Exchange? { get }
}

extension Responder {
  func produce(_ session: IngestSession, _ output: inout SessionOutput) {}
  func alarmFired(_ session: IngestSession, _ output: inout SessionOutput) {}
  func delivered(_ message: SessionMessage, _ session: IngestSession, _ output: inout SessionOutput) {}
  func drain(_ session: IngestSession, _ output: inout SessionOutput) {}
  func closed(_ session: IngestSession) {}
  var unanswered: Exchange? { nil }
}

/// A long answer whose head and first page are written. Each further page is requested when the connection has room for it.
final class PagedResponse: Responder {
  /// The delay before asking again when the readers are busy; the client notices only a slower answer.
  private static let pause = Nanoseconds.milliseconds(20)

  private let isChunked: Bool
  private var rest: ContentPage.Source
  /// Whether a requested page has not arrived yet.
  private var isAsked = false

  private init(_ rest: ContentPage.Source, isChunked: Bool) {
    self.rest = rest
    self.isChunked = isChunked
  }

  static func begin(_ rest: ContentPage.Source, of exchange: Exchange, in session: IngestSession) {
    session.respond(with: PagedResponse(rest, isChunked: exchange.version != .http10))
    session.wishes.hasMoreOutput = true
  }

  func produce(_ session: IngestSession, _ output: inout SessionOutput) { askForPage(session, output.now) }

  func alarmFired(_ session: IngestSession, _ output: inout SessionOutput) { askForPage(session, output.now) }

  func delivered(_ message: SessionMessage, _ session: IngestSession, _ output: inout SessionOutput) {
    switch message {
    case .page(let page): turn(to: page, session, &output)
    // It is too late for a status. The answer stays incomplete, and the reset tells the client so
    // (RFC 9112 §8).
    case .pageFailed: session.finish(.reset)
    case .completed, .answered, .readyAgain, .awaited, .searchEnded, .scanned, .journalReset, .eventsWaiting: break
    }
  }

  private func askForPage(_ session: IngestSession, _ now: MonotonicInstant) {
    guard !isAsked else { return }
    switch rest {
    case .store(let page):
      isAsked = session.context.backend.ask(
        { reader in do throws(StoreError) { return .page(try page(reader)) } catch { return .pageFailed(error) } },
        for: session.address)
    case .journal(let page):
      isAsked =
        session.context.journal?.ask(
          { journal in do throws(StoreError) { return .page(try page(journal)) } catch { return .pageFailed(error) } },
          session.address) ?? false
    }
    session.wishes.hasMoreOutput = false
    session.wishes.alarm = isAsked ? nil : now + Self.pause
  }

  private func turn(to page: ContentPage, _ session: IngestSession, _ output: inout SessionOutput) {
    if isChunked { ChunkWriter.chunk(page.bytes.span, into: &output.bytes) } else { output.bytes += page.bytes }
    if let next = page.next {
      rest = next
      isAsked = false
      session.wishes.hasMoreOutput = true
    } else {
      if isChunked { ChunkWriter.end(into: &output.bytes) }
      session.proceed()
    }
  }
}
