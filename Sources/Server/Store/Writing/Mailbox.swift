/// Jobs on their way to the writer, in the order of submission, bounded in number and bytes.
struct Mailbox {
  struct Letter {
    let ticket: Ticket
    let job: StoreJob
  }

  private let limits: WriterLimits
  private var letters: [Letter] = []
  private var head = 0
  private(set) var byteCount = 0
  /// Nothing more is taken in; what is here is still delivered.
  private(set) var isClosed = false
  /// The writer waits for a signal.
  var isWriterWaiting = false

  init(_ limits: WriterLimits) { self.limits = limits }

  var count: Int { letters.count - head }

  /// Takes no further letter, however small.
  var isFull: Bool { count >= limits.mailboxJobs || byteCount >= limits.mailboxBytes }

  /// False when it is full or closed.
  mutating func post(_ letter: Letter) -> Bool {
    let bytes = letter.job.byteCount
    // A job that is larger than the whole mailbox may enter when it is alone.
    let hasRoom = count < limits.mailboxJobs && (byteCount + bytes <= limits.mailboxBytes || count == 0)
    guard !isClosed, hasRoom else { return false }
    letters.append(letter)
    byteCount += bytes
    return true
  }

  /// What is waiting, up to the size of a group but at least one.
  mutating func takeGroup() -> [Letter] {
    var rows = 0
    var bytes = 0
    var end = head
    while end < letters.count {
      let job = letters[end].job
      guard end == head || rows + job.rowCount <= limits.groupRows && bytes + job.byteCount <= limits.groupBytes
      else { break }
      rows += job.rowCount
      bytes += job.byteCount
      end += 1
    }
    let group = Array(letters[head..<end])
    byteCount -= bytes
    head = end
    // The taken letters go as soon as they outnumber the waiting ones, so that moving costs a constant per letter.
    if head * 2 >= letters.count {
      letters.removeFirst(head)
      head = 0
    }
    return group
  }

  mutating func close() { isClosed = true }
}
