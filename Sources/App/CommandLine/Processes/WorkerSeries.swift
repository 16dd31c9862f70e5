import FleetSimulator

/// Jobs in parallel workers. Their messages are handled in the order of the jobs, as if one process did them in
/// sequence; or, if jobs may never end, in the order in which they end.
final class WorkerSeries<Job> {
  private final class Place {
    let job: Job
    let worker: WorkerProcess
    var messages: [WorkerMessage] = []
    var isOver = false
    var failure: WorkerProcess.Failure?

    init(_ job: Job, _ worker: WorkerProcess) { (self.job, self.worker) = (job, worker) }

    func listen() {
      messages += worker.takeMessages()
      guard !isOver, !worker.isOpen else { return }
      isOver = true
      do throws(WorkerProcess.Failure) { try worker.finish() } catch { failure = error }
    }
  }

  private let count: Int
  private let isOrdered: Bool
  private let interruption: Interruption
  private let name: (Job) -> String
  private let work: (Job, WorkerLine) -> Void
  private var places: [Place] = []
  /// A job for which no process could be started.
  private var postponed: Job?

  /// Runs at most `count` workers at once. `work` runs in a worker.
  init(
    _ count: Int, isOrdered: Bool, _ interruption: Interruption, name: @escaping (Job) -> String,
    work: @escaping (Job, WorkerLine) -> Void
  ) {
    (self.count, self.isOrdered, self.interruption) = (count, isOrdered, interruption)
    (self.name, self.work) = (name, work)
  }

  /// The number of jobs for each worker that may finish before an earlier one.
  private static var aheadMax: Int { 16 }

  /// `next` returns nil when no further job is to start. `hear` gets the messages of a worker, and `end` its failure,
  /// or nil. Jobs start while messages of earlier ones are still pending.
  func run(
    next: () -> Job?, hear: (Job, WorkerMessage) throws -> Void,
    end: (Job, WorkerProcess.Failure?) throws -> Void
  ) throws {
    let group = WorkerGroup(interruption)
    defer { group.close() }
    while true {
      try begin(next, group)
      guard !places.isEmpty else { return }
      try WorkerProcess.wait(for: places.map(\.worker))
      for place in places { place.listen() }
      if isOrdered {
        while let first = places.first {
          try tell(first, hear)
          guard first.isOver else { break }
          places.removeFirst()
          try end(first.job, first.failure)
        }
      } else {
        let over = places.filter(\.isOver)
        places.removeAll(where: \.isOver)
        for place in over {
          try tell(place, hear)
          try end(place.job, place.failure)
        }
      }
    }
  }

  /// Starts jobs while there is room; throws when no process can be started although none is running.
  private func begin(_ next: () -> Job?, _ group: WorkerGroup) throws(WorkerProcess.Failure) {
    while !interruption.isRequested, places.count(where: { !$0.isOver }) < count,
      places.count < count * WorkerSeries.aheadMax, let job = postponed ?? next()
    {
      do throws(WorkerProcess.Failure) {
        places.append(Place(job, try WorkerProcess(name(job), in: group) { [work] line in work(job, line) }))
        postponed = nil
      } catch {
        // The machine cannot start another process until one of them ends.
        postponed = job
        if places.isEmpty { throw error }
        return
      }
    }
  }

  private func tell(_ place: Place, _ hear: (Job, WorkerMessage) throws -> Void) throws {
    for message in place.messages { try hear(place.job, message) }
    place.messages = []
  }
}
