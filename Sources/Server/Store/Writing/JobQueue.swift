/// The queue of jobs for the writer, in the order of submission, bounded in number and bytes.
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
  /// Whether further jobs are refused; waiting ones are still delivered.
  private(set) var isClosed = false
  /// Whether the writer waits for a signal.
  var isWriterWaiting = false

  /// Returns whether the writer must be woken; true once per wait.
  mutating func takeWaitingWriter() -> Bool {
    defer { isWriterWaiting = false }
    return isWriterWaiting
  }

  init(_ limits: WriterLimits) { self.limits = limits }

  var count: Int { waiting.jobs.count }
  var byteCount: Int { waiting.byteCount }

  /// Whether every job would be refused, however small.
  var isFull: Bool { count >= limits.mailboxJobs || byteCount >= limits.mailboxBytes }

  /// Returns false when the queue is full or closed.
  mutating func post(_ job: StoreJob, _ ticket: Ticket) -> Bool {
    let bytes = job.byteCount
    // A job larger than the whole queue may enter an empty one.
    let hasRoom = count < limits.mailboxJobs && (byteCount + bytes <= limits.mailboxBytes || count == 0)
    guard !isClosed, hasRoom else { return false }
    waiting.append(job, ticket, bytes: bytes)
    return true
  }

  /// Returns the waiting jobs, up to the size of a group but at least one.
  mutating func takeGroup() -> Group {
    // Usually this is all of them, and nothing is copied.
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
