import FleetSimulator

/// Jobs that several workers do side by side. What they tell is heard in the order of the jobs, as if one process did them one
/// after the other.
final class WorkerSeries<Job> {
  private final class Place {
    let job: Job
    let worker: WorkerProcess
    var messages: [WorkerMessage] = []

    init(_ job: Job, _ worker: WorkerProcess) { (self.job, self.worker) = (job, worker) }
  }

  private let count: Int
  private let interruption: Interruption
  private let name: (Job) -> String
  private let work: (Job, WorkerLine) -> Void
  private var places: [Place] = []

  /// So many workers at once at most. `work` runs in a worker.
  init(
    _ count: Int, _ interruption: Interruption, name: @escaping (Job) -> String,
    work: @escaping (Job, WorkerLine) -> Void
  ) {
    (self.count, self.interruption, self.name, self.work) = (count, interruption, name, work)
  }

  /// `next` gives nil when no further job is to be begun. `hear` gets what a worker tells, and `end` how it ended; nil: as it
  /// should. A job is begun while earlier ones are still heard.
  func run(
    next: () -> Job?, hear: (Job, WorkerMessage) throws -> Void,
    end: (Job, WorkerProcess.Failure?) throws -> Void
  ) throws {
    let group = WorkerGroup(interruption)
    defer { group.close() }
    while true {
      while !interruption.isRequested, places.count(where: \.worker.isOpen) < count, let job = next() {
        let worker = try WorkerProcess(name(job), in: group) { line in work(job, line) }
        places.append(Place(job, worker))
      }
      guard !places.isEmpty else { return }
      try WorkerProcess.wait(for: places.map(\.worker))
      for place in places { place.messages += place.worker.takeMessages() }
      while let first = places.first {
        for message in first.messages { try hear(first.job, message) }
        first.messages = []
        guard !first.worker.isOpen else { break }
        places.removeFirst()
        var failure: WorkerProcess.Failure?
        do throws(WorkerProcess.Failure) { try first.worker.finish() } catch { failure = error }
        try end(first.job, failure)
      }
    }
  }
}
