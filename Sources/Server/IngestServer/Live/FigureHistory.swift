import Base
import JSON
import Synchronization

/// The figures of the last ten minutes, one sample per second. It needs no timer, because the counts change with requests alone: the
/// first request of a second writes down what was true until then, and a second without one is like the second before it.
final class FigureHistory: Sendable {
  static let keptMilliseconds: Int64 = 600_000
  static let interval: Int64 = 1_000
  /// How much more may be kept, because each removal moves all samples.
  private static let slack: Int64 = 60_000

  private let samples = Mutex<[LiveFigures]>([])
  /// In milliseconds since 1970.
  private let dueAt = Atomic<Int64>(.min)

  /// Returns whether a sample must be taken before a request of this instant is counted. True for one of several callers.
  func isDue(at instant: Int64) -> Bool {
    let due = dueAt.load(ordering: .relaxed)
    // A clock that was set back by more than a sample starts over.
    guard instant >= due || instant < due - 2 * Self.interval else { return false }
    return dueAt.compareExchange(expected: due, desired: instant + Self.interval, ordering: .relaxed).exchanged
  }

  /// Adds a sample. The figures are computed under the lock, so that the samples stay in order.
  func take(_ figures: () -> LiveFigures) { samples.withLock { Self.append(figures(), to: &$0) } }

  /// Returns one sample per second, the oldest first, and finally the current figures.
  func all(upTo now: () -> LiveFigures) -> [LiveFigures] {
    let kept = samples.withLock { samples in
      var kept = samples
      Self.append(now(), to: &kept)
      Self.trim(&kept, to: kept[kept.count - 1].at)
      return kept
    }
    var all: [LiveFigures] = []
    for sample in kept {
      if var filler = all.last {
        while sample.at - filler.at > 3 * Self.interval / 2 {
          filler.at += Self.interval
          all.append(filler)
        }
      }
      all.append(sample)
    }
    return all
  }

  private static func append(_ figures: LiveFigures, to samples: inout [LiveFigures]) {
    var figures = figures
    if let last = samples.last, figures.at < last.at {
      // Clocks are often corrected by a little. One that was set back by more starts over.
      if last.at - figures.at > 2 * interval { samples = [] } else { figures.at = last.at }
    }
    if let last = samples.last {
      if figures.at == last.at { samples.removeLast() }
      // All counts since the last sample belong to its second: a later request would have taken another sample.
      if figures.at - last.at > 2 * interval {
        var end = figures
        end.at = last.at + interval
        samples.append(end)
      }
    }
    samples.append(figures)
    if samples[0].at < figures.at - keptMilliseconds - slack { trim(&samples, to: figures.at) }
  }

  private static func trim(_ samples: inout [LiveFigures], to now: Int64) {
    let begin = now - keptMilliseconds
    let first = samples.firstIndex { $0.at >= begin } ?? 0
    if samples[first].at < begin + interval {
      samples.removeFirst(first)
    } else if first > 0 {
      // A period without requests may be longer than what is kept: the sample before it holds its figures.
      samples.removeFirst(first - 1)
      samples[0].at = begin
    }
  }
}

extension LiveHandlers {
  /// Takes a sample if due; must be called before anything of this instant is counted.
  func sampleFigures(at instant: Int64) {
    if history.isDue(at: instant) { history.take(figures) }
  }

  /// `GET /admin/v1/history`: the `bounds` of the answer times, and `samples` of the last ten minutes, one per second, as in
  /// the event `figures`; except that `answers` has the answer times since the previous sample: the index of a bound, and the
  /// number of answers within it.
  func history(_ exchange: Exchange) -> Reply {
    let samples = history.all(upTo: figures)
    return .answer(
      .object { writer in
        writer.list("bounds", LiveFigures.bounds) { $0.value($1) }
        writer.key("samples")
        writer.beginArray()
        var before = [UInt64](repeating: 0, count: LiveFigures.bounds.count)
        for sample in samples {
          writer.beginObject()
          sample.writeCounts(to: &writer)
          writer.list("answers", Self.answers(sample.latencies, since: before)) { writer, entry in
            writer.beginArray()
            writer.value(entry.bound)
            writer.value(entry.count)
            writer.endArray()
          }
          before = sample.latencies
          writer.endObject()
        }
        writer.endArray()
      })
  }

  private static func answers(_ latencies: [UInt64], since before: [UInt64]) -> [(bound: Int, count: UInt64)] {
    var answers: [(bound: Int, count: UInt64)] = []
    var below: UInt64 = 0
    for index in latencies.indices {
      let within = latencies[index] - before[index]
      if within > below { answers.append((index, within - below)) }
      below = max(below, within)
    }
    return answers
  }
}
