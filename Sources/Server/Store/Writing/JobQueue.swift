/// Jobs on their way to the writer, in the order of submission, bounded in number and bytes.
struct JobQueue {
  /// Jobs that are committed together, with their tickets.
  struct Group {
    var jobs: [StoreJob] = []
    var tickets: [Ticket] = []
    var rowCount = 0
    var byteCount = 0
  }

  private let limits: WriterLimits
  private var waiting = Group()
  /// Nothing more is taken in; what is here is still delivered.
  private(set) var isClosed = false
  /// The writer waits for a signal.
  var isWriterWaiting = false

  /// Whether the writer has to be woken, which is done once.
  mutating func takeWaitingWriter() -> Bool {
    defer { isWriterWaiting = false }
    return isWriterWaiting
  }

  init(_ limits: WriterLimits) { self.limits = limits }

  var count: Int { waiting.jobs.count }
  var byteCount: Int { waiting.byteCount }

  /// Takes no further job, however small.
  var isFull: Bool { count >= limits.mailboxJobs || byteCount >= limits.mailboxBytes }

  /// False when it is full or closed.
  mutating func post(_ job: StoreJob, _ ticket: Ticket) -> Bool {
    let bytes = job.byteCount
    // A job that is larger than the whole queue may enter when it is alone.
    let hasRoom = count < limits.mailboxJobs && (byteCount + bytes <= limits.mailboxBytes || count == 0)
    guard !isClosed, hasRoom else { return false }
    waiting.append(job, ticket, bytes: bytes)
    return true
  }

  /// What is waiting, up to the size of a group but at least one.
  mutating func takeGroup() -> Group {
    // Nearly always all of it, and then nothing is copied.
    guard waiting.rowCount > limits.groupRows || byteCount > limits.groupBytes else {
      defer { waiting = Group() }
      return waiting
    }
    var group = Group()
    for (job, ticket) in zip(waiting.jobs, waiting.tickets) {
      let bytes = job.byteCount
      let fits = group.rowCount + job.rowCount <= limits.groupRows && group.byteCount + bytes <= limits.groupBytes
      guard group.jobs.isEmpty || fits else { break }
      group.append(job, ticket, bytes: bytes)
    }
    precondition(group.jobs.count == group.tickets.count, "every job has the ticket of its sender")
    waiting.removeFirst(group)
    return group
  }

  mutating func close() { isClosed = true }
}

extension JobQueue.Group {
  fileprivate mutating func append(_ job: StoreJob, _ ticket: Ticket, bytes: Int) {
    jobs.append(job)
    tickets.append(ticket)
    rowCount += job.rowCount
    byteCount += bytes
  }

  fileprivate mutating func removeFirst(_ taken: JobQueue.Group) {
    jobs.removeFirst(taken.jobs.count)
    tickets.removeFirst(taken.jobs.count)
    rowCount -= taken.rowCount
    byteCount -= taken.byteCount
    precondition(rowCount >= 0 && byteCount >= 0, "a group takes out no more than came in")
    precondition(!jobs.isEmpty || rowCount == 0 && byteCount == 0, "an empty queue counts nothing")
  }
}
