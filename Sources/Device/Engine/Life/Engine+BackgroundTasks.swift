import Base
import Contract
import Vocabulary

/// SDK §18: the app must end each task that it begins; the system limits its time.
extension Engine {
  mutating func startBackgroundTask(_ id: Int, at now: Moment, into effects: inout [Effect]) {
    guard !backgroundTasks.contains(where: { $0.id == id }) else { return }
    backgroundTasks.append(BackgroundTask(id: id, deadline: now.monotonic + profile.backgroundTaskLimit))
    note(.backgroundTask(id: id, isStart: true), .verbose, into: &effects)
    effects.append(.backgroundTask(id: id, isStart: true))
  }

  mutating func stopBackgroundTask(_ id: Int, into effects: inout [Effect]) {
    guard let index = backgroundTasks.firstIndex(where: { $0.id == id }) else {
      note(.warning("no background task \(id)", from: .backgroundTasks), .warning, into: &effects)
      return
    }
    backgroundTasks.remove(at: index)
    note(.backgroundTask(id: id, isStart: false), .verbose, into: &effects)
    effects.append(.backgroundTask(id: id, isStart: false))
  }

  mutating func endBackgroundTasks(into effects: inout [Effect]) {
    for task in backgroundTasks { effects.append(.backgroundTask(id: task.id, isStart: false)) }
    backgroundTasks.removeAll()
  }

  mutating func expireBackgroundTasks(at now: Moment, into effects: inout [Effect]) {
    while let task = backgroundTasks.first(where: { $0.deadline <= now.monotonic }) {
      note(
        .warning("background task \(task.id) ran too long and is ended", from: .backgroundTasks), .warning,
        into: &effects)
      stopBackgroundTask(task.id, into: &effects)
    }
  }
}
