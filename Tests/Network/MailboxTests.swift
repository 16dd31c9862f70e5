import Base
import Glibc
import Testing

@testable import Network

/// Letters and control between threads.
@Suite struct MailboxTests {
  private let token = ConnectionToken(place: 1, generation: 2)

  @Test func lettersComeInTheOrderInWhichTheyWerePosted() throws {
    let mailbox = try Mailbox<Int>()
    mailbox.post(1, to: token)
    mailbox.post([.init(to: token, 2), .init(to: token, 3)])
    var messages: [Mailbox<Int>.AddressedMessage] = []
    #expect(mailbox.collect(into: &messages) == nil)
    #expect(messages.map(\.message) == [1, 2, 3])
    messages.removeAll()
    #expect(mailbox.collect(into: &messages) == nil)
    #expect(messages.isEmpty)
  }

  @Test func aBurstWakesOnce() throws {
    let mailbox = try Mailbox<Int>()
    var messages: [Mailbox<Int>.AddressedMessage] = []
    for _ in 0..<2 {
      for number in 0..<100 { mailbox.post(number, to: token) }
      var writes: UInt64 = 0
      #expect(unsafe read(mailbox.wakeUp, &writes, 8) == 8)
      #expect(writes == 1)
      _ = mailbox.collect(into: &messages)
      messages.removeAll()
    }
  }

  @Test func aDrainDoesNotTakeAStopBack() throws {
    let mailbox = try Mailbox<Int>()
    var messages: [Mailbox<Int>.AddressedMessage] = []
    mailbox.tell(.drain(within: .seconds(1)))
    mailbox.tell(.stop)
    mailbox.tell(.drain(within: .seconds(1)))
    guard case .stop = mailbox.collect(into: &messages) else {
      Issue.record("the stop is gone")
      return
    }
  }

  @Test func aClosedMailboxKeepsNothing() throws {
    final class Content: Sendable {}
    let mailbox = try Mailbox<Content>()
    var content: Content? = Content()
    weak let observed = content
    mailbox.post(content ?? Content(), to: token)
    mailbox.close()
    mailbox.post(content ?? Content(), to: token)
    content = nil
    #expect(observed == nil)
  }
}
