import Base
import Store
import Synchronization
import Threads

/// Forwards stored records to one sink, on a thread of its own. It reads bounded pages behind what was committed, so that
/// neither the writer nor memory knows how far the sink is behind.
final class Forwarder: Sendable {
  /// The services that it uses.
  struct Dependencies: Sendable {
    let board: ArrivalBoard
    let readers: ReadPool
    /// Submits a job to the writer; its result is passed to `noted`.
    let submit: @Sendable (StoreJob) -> Bool
    let notify: @Sendable (ServerNotice) -> Void
    /// Makes, for the forwarder's thread, a function that tells whether this server forwards to the sink now, or another one
    /// that shares its store. Nil when the store is not shared.
    var leadership: (@Sendable () -> () -> Bool)?
  }

  private struct State {
    var isStopping = false
    var interrupt: (@Sendable () -> Void)?
    var figures: ForwardFigures
    /// The position of the sink; nil until the store has returned it.
    var position: SinkPosition?
    /// When the oldest waiting record was received, or seen.
    var waitingSince: Int64?
    /// Whether the last note was committed; nil while it is pending.
    var noted: Bool?
  }

  let target: ForwardTarget
  private let dependencies: Dependencies
  private let state: Mutex<State>
  private let waker = Waker()
  private let thread = Mutex<NamedThread?>(nil)
  private let clock = SystemClock()

  /// The pause between two notes of the position: each may cost a sync of the disk.
  private static let notePause = Nanoseconds.milliseconds(250)
  private static let readPause = Nanoseconds.seconds(1)
  private static let longestWait = Nanoseconds.seconds(60)
  /// The interval of checking which server leads.
  private static let leadPause = Nanoseconds.seconds(1)

  init(_ target: ForwardTarget, _ dependencies: Dependencies) throws(ServerError) {
    (self.target, self.dependencies) = (target, dependencies)
    state = Mutex(State(figures: ForwardFigures(name: target.name, place: target.place)))
    state.withLock { $0.figures.leads = dependencies.leadership == nil }
    let waker = waker
    dependencies.board.listen { waker.wake() }
    do throws(SinkError) {
      let thread = try NamedThread.opening("forward") { () throws(SinkError) in
        try target.open()
      } run: { [self] sink in
        run(sink)
      }
      self.thread.withLock { $0 = thread }
    } catch {
      throw ServerError(configuration: "--forward \(target.place): \(error)")
    }
  }

  /// Lets a request in flight end, notes the position, and returns.
  func stop() {
    let interrupt = state.withLock { state in
      state.isStopping = true
      return state.interrupt
    }
    interrupt?()
    waker.wake()
    thread.withLock { $0.take() }?.join()
  }

  /// Called when the writer has committed the position, or failed to.
  func noted(_ isDone: Bool) {
    state.withLock { $0.noted = isDone }
    waker.wake()
  }

  var figures: ForwardFigures {
    let marks = dependencies.board.marks
    let now = clock.wallNow.millisecondsSince1970
    return state.withLock { state in
      var figures = state.figures
      let told = dependencies.board.lag(of: target.name)
      figures.lag = state.position.map { told?.records ?? $0.count(until: marks) } ?? 0
      // Records that the database holds back count too, although they cannot be read yet.
      let since = [state.waitingSince, told?.since].compactMap { $0 }.min()
      figures.lagMilliseconds = figures.lag == 0 ? 0 : since.map { max(0, now - $0) } ?? 0
      figures.lost = dependencies.board.lost(by: target.name)
      return figures
    }
  }
}

/// Runs on the forwarder's thread.
extension Forwarder {
  private func run(_ sink: any ForwardSink) {
    let interrupt = sink.interrupt
    state.withLock { $0.interrupt = interrupt }
    var draws = RandomStream(seed: UInt64(bitPattern: clock.monotonicNow.nanoseconds), device: 0, concern: 0)
    let leads = dependencies.leadership?()
    while !state.withLock({ $0.isStopping }) {
      guard leads?() ?? true, let progress = start() else {
        state.withLock { ($0.position, $0.figures.leads) = (nil, false) }
        waker.wait(milliseconds: Int(Forwarder.leadPause.wholeMilliseconds))
        continue
      }
      lead(sink, progress, leads, &draws)
    }
  }

  /// Forwards until the server stops, or another one leads.
  private func lead(
    _ sink: any ForwardSink, _ progress: ForwardProgress, _ leads: (() -> Bool)?, _ draws: inout RandomStream
  ) {
    var work = Work(progress)
    state.withLock { $0.figures.leads = true }
    var asked = clock.monotonicNow
    while !state.withLock({ $0.isStopping }) {
      let now = clock.monotonicNow
      if let leads, now - asked >= Forwarder.leadPause {
        guard leads() else {
          tell(&work, now, isLast: true)
          return awaitNote(work)
        }
        asked = now
      }
      note(&work, now)
      tell(&work, now)
      if let pause = work.progress.pausesUntil, now < pause {
        wait(until: pause, work, now)
      } else if work.progress.pausesUntil != nil, !work.isReadAgain {
        // The records of the failed attempt may have been deleted meanwhile.
        work.isReadAgain = true
        work.progress.drop()
        read(&work, now)
      } else if !work.progress.isEmpty {
        work.isReadAgain = false
        let answer = sink.send(work.progress.next)
        work.progress.note(
          answer, since: now, now: clock.monotonicNow, wall: clock.wallNow.millisecondsSince1970,
          chance: draws.uniform())
      } else if let due = dueForReading(&work, now) {
        wait(until: due, work, now)
      } else {
        read(&work, now)
      }
    }
    tell(&work, clock.monotonicNow, isLast: true)
    noteLast(&work)
  }

  /// The state of the thread between two steps.
  private struct Work {
    var progress: ForwardProgress
    /// The position in the last note to the store.
    var told: SinkPosition
    /// The refusals in that note; nil while no note is in flight.
    var refusalsUnderWay: Int?
    var nextNote: MonotonicInstant?
    /// When records that are not read yet were first seen.
    var seen: (at: MonotonicInstant, wall: Int64)?
    var nextRead: MonotonicInstant?
    /// Whether the records were read again after the last pause.
    var isReadAgain = false
    /// Whether the last page was full: then there are more, and reading does not wait.
    var hasMore = false
    var account = SinkAccount()

    init(_ progress: ForwardProgress) {
      self.progress = progress
      told = progress.position
    }
  }

  /// Returns the progress at the position of the sink; nil when the server stops before the store can answer.
  private func start() -> ForwardProgress? {
    let (name, portionMax) = (target.name, target.portion.records)
    while !state.withLock({ $0.isStopping }) {
      let progress = ask { (reader) throws(StoreError) in
        let position = try reader.position(ofSink: name) ?? SinkPosition()
        return ForwardProgress(at: position, try reader.refusalCount(ofSink: name), portionMax: portionMax)
      }
      if let progress { return progress }
      waker.wait(milliseconds: Int(Forwarder.readPause.wholeMilliseconds))
    }
    return nil
  }

  /// Returns when there may be something to read; nil for now.
  private func dueForReading(_ work: inout Work, _ now: MonotonicInstant) -> MonotonicInstant? {
    if let next = work.nextRead, now < next { return next }
    if work.hasMore { return nil }
    let marks = dependencies.board.marks
    work.progress.forgetPartitions(but: marks)
    let count = work.progress.position.count(until: marks)
    guard count > 0 else {
      work.seen = nil
      return now + Forwarder.longestWait
    }
    let seen = work.seen ?? (now, clock.wallNow.millisecondsSince1970)
    work.seen = seen
    let due = seen.at + target.portion.age
    return count < Int64(target.portion.records) && now < due ? due : nil
  }

  private func read(_ work: inout Work, _ now: MonotonicInstant) {
    let (position, portion) = (work.progress.position, target.portion)
    let marks = dependencies.board.marks
    let page = ask { (reader) throws(StoreError) in
      try reader.records(behind: position, until: marks, limit: portion.records, bytes: portion.bytes)
    }
    guard let page else {
      work.nextRead = now + Forwarder.readPause
      return
    }
    let byteCount = page.records.reduce(0) { $0 + $1.record.count }
    work.hasMore = page.records.count >= portion.records || byteCount >= portion.bytes
    (work.nextRead, work.seen) = (nil, nil)
    work.progress.load(page)
  }

  /// Asks a reader of the store and waits; nil when the store or its readers cannot answer.
  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (any StoreReader) throws(StoreError) -> Answer
  ) -> Answer? {
    let box = ReadAnswer<Answer>()
    let isAsked = dependencies.readers.ask { reader in
      do throws(StoreError) {
        let answer = try question(reader)
        box.answer.withLock { $0 = answer }
      } catch {
        // The caller asks again; the writer reports what is wrong with the store.
      }
      box.isThere.signal()
    }
    if isAsked { box.isThere.wait() }
    return box.answer.withLock { $0 }
  }

  private final class ReadAnswer<Answer: Sendable>: Sendable {
    let answer = Mutex<Answer?>(nil)
    let isThere = Semaphore()
  }

  /// Submits the position to the store, one note at a time.
  private func note(_ work: inout Work, _ now: MonotonicInstant) {
    if let count = work.refusalsUnderWay, let isDone = state.withLock({ $0.noted.take() }) {
      work.refusalsUnderWay = nil
      if isDone { work.progress.forget(refusals: count) } else { work.told = SinkPosition() }
    }
    let isNew = work.progress.position != work.told || !work.progress.refusals.isEmpty
    guard work.refusalsUnderWay == nil, isNew, work.nextNote.map({ $0 <= now }) ?? true else { return }
    let (position, refusals) = (work.progress.position, work.progress.refusals)
    let advance = SinkAdvance(
      sink: target.name, position: position, refusals: refusals, refused: work.progress.refusalCount)
    if dependencies.submit(.advance(advance)) {
      work.told = position
      work.refusalsUnderWay = refusals.count
    }
    work.nextNote = now + Forwarder.notePause
  }

  /// Waits for the note in flight: its result must not be taken for that of a note of the next term.
  private func awaitNote(_ work: Work) {
    guard work.refusalsUnderWay != nil else { return }
    while !state.withLock({ $0.isStopping || $0.noted.take() != nil }) { waker.wait(milliseconds: 100) }
  }

  /// Waits for the note in flight, and for the last one.
  private func noteLast(_ work: inout Work) {
    let end = clock.monotonicNow + Forwarder.readPause
    repeat {
      work.nextNote = nil
      note(&work, clock.monotonicNow)
      if work.refusalsUnderWay == nil { return }
      waker.wait(milliseconds: 100)
    } while clock.monotonicNow < end
  }

  private func wait(until instant: MonotonicInstant, _ work: Work, _ now: MonotonicInstant) {
    var end = instant
    let isNew = work.progress.position != work.told || !work.progress.refusals.isEmpty
    if isNew, work.refusalsUnderWay == nil, let next = work.nextNote { end = min(end, next) }
    if dependencies.leadership != nil { end = min(end, now + Forwarder.leadPause) }
    waker.wait(milliseconds: Int((end - now).wholeMilliseconds) + 1)
  }

  /// Updates the published figures, and notifies the operator of lasting troubles.
  private func tell(_ work: inout Work, _ now: MonotonicInstant, isLast: Bool = false) {
    let (progress, name) = (work.progress, target.name)
    let since = progress.oldest ?? work.seen?.wall
    state.withLock { state in
      state.figures.take(progress)
      state.position = progress.position
      state.waitingSince = since
    }
    let lost = dependencies.board.lost(by: name)
    let lag = { [dependencies] in progress.position.count(until: dependencies.board.marks) }
    for notice in work.account.note(progress, lost: lost, lag: lag, now: now, isLast: isLast) {
      dependencies.notify(.sink(name, notice))
    }
  }
}
