import Base
import Scenario
import World

extension MovementBuilder {
  func read(
    _ replay: RouteReplay, _ transport: Transport, _ place: String, _ problems: inout [String]
  ) -> TimedRoute? {
    let path = files.path(replay.file)
    guard let recording = recording(path, replay.format, place, &problems) else { return nil }
    switch replay.timing {
    case .recorded: return timed(recording, replay.speed, transport, path, place, &problems)
    case .modelled: return TimedRoute(modelled: recording, transport: transport.faster(by: replay.speed))
    }
  }

  /// With the times of the file where it has them, else with those of the motion.
  func read(
    _ collection: RouteCollection, _ transport: Transport, _ place: String, _ problems: inout [String]
  ) -> RouteSet? {
    let paths = files.paths(collection.files)
    guard !paths.isEmpty else {
      problems.append("\(place).files: no file is named like '\(files.path(collection.files))'")
      return nil
    }
    var routes: [TimedRoute] = []
    for path in paths {
      guard let recording = recording(path, collection.format, place, &problems) else { return nil }
      if recording.hasTimes {
        guard let route = timed(recording, 1, transport, path, place, &problems) else { return nil }
        routes.append(route)
      } else {
        routes.append(TimedRoute(modelled: recording, transport: transport))
      }
    }
    return RouteSet(routes, pick: RouteSet.Pick(collection.pick))
  }

  private func timed(
    _ recording: RouteRecording, _ factor: Double, _ transport: Transport, _ path: String, _ place: String,
    _ problems: inout [String]
  ) -> TimedRoute? {
    do throws(RouteError) {
      return try TimedRoute(recorded: recording, factor: factor, transport: transport)
    } catch {
      problems.append("\(place): \(path):\(error.spot): \(error.message)")
      return nil
    }
  }

  private func recording(
    _ path: String, _ format: RouteFormat?, _ place: String, _ problems: inout [String]
  ) -> RouteRecording? {
    guard let format = format ?? RouteFile.format(of: path) else {
      problems.append("\(place): the name '\(path)' does not say how the file is written; add format")
      return nil
    }
    guard let bytes = files.read(path) else {
      problems.append("\(place): cannot read the file '\(path)'")
      return nil
    }
    do throws(RouteError) {
      return try RouteFile.read(RouteFile.unpacked(bytes), as: format)
    } catch {
      problems.append("\(place): \(path):\(error.spot): \(error.message)")
      return nil
    }
  }
}

extension RouteSet.Pick {
  fileprivate init(_ pick: RoutePick) {
    switch pick {
    case .shuffle: self = .shuffle
    case .sequence: self = .sequence
    case .random: self = .random
    }
  }
}
