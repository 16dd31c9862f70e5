/// What a parser found, and how many bytes of the input it took for that. The caller passes the rest in the next call.
package struct MessageStep: Sendable, Equatable {
  package let taken: Int
  package let event: MessageEvent

  package init(taken: Int, event: MessageEvent) {
    self.taken = taken
    self.event = event
  }
}
