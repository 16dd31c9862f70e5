import Base
import Contract
import FleetSimulator
import HTTPService
import JSON
import Scenario

/// The handlers of the routes.
struct RoomHandlers: Sendable {
  let run: WatchedRun
  let board: RoomBoard
  let worker: RoomWorker
  let files = RoomFiles()

  func state() -> ServiceAnswer {
    guard let view = run.steering.view else { return .notYet }
    return .json(200, RunState(run, view, summary: board.summary).json)
  }

  func history() -> ServiceAnswer {
    .json(200, .object(["samples": .array(run.steering.samples.map(\.json))]))
  }

  func live() -> ServiceReply {
    guard board.enter() else {
      return .answer(
        .error(503, "too_many_listeners", "too many event streams are open; try again").with(HeaderName.retryAfter, "5")
      )
    }
    return .stream(RunStream(run, board))
  }

  func map() -> ServiceAnswer {
    let none = Array(#"{"type":"FeatureCollection","features":[]}"#.utf8)
    return ServiceAnswer(200, "application/geo+json", run.streets ?? none)
  }

  /// Answers with all phones; `?names=true` includes the names.
  func phones(_ request: ServiceRequest) -> ServiceReply {
    let word = request.parameter("names") ?? "false"
    guard ["true", "false"].contains(word) else { return .answer(.badParameter("names", "must be true or false")) }
    guard let view = run.steering.view else { return .answer(.notYet) }
    let names = word == "true" ? run.steering.phoneNames : nil
    return .answer(
      PhoneColumns(view, networks: run.steering.networkNames).answer(names: names, fleets: run.steering.fleetNames))
  }

  func at(_ request: ServiceRequest) -> ServiceReply {
    recorded(request) { moment in
      PhoneColumns(moment, networks: run.steering.networkNames)
        .answer(names: run.steering.phoneNames, fleets: run.steering.fleetNames)
    }
  }

  func phone(_ request: ServiceRequest) -> ServiceReply {
    let name = request.path.last ?? ""
    guard let number = run.steering.phoneNames.firstIndex(of: name) else { return .answer(unknown(name)) }
    guard run.steering.recording == nil, request.parameter("instant") == nil else {
      return recorded(request, orNow: true) { moment in
        guard let index = moment.phones.firstIndex(where: { $0.number == number }) else { return unknown(name) }
        let story = PhoneStory(moment.phones[index], at: moment.instant, in: run, requests: moment.requests[index])
        return .json(200, story.json)
      }
    }
    guard let view = run.steering.view else { return .answer(.notYet) }
    guard let phone = view.phones.first(where: { $0.number == number }) else { return .answer(unknown(name)) }
    return .answer(.json(200, PhoneStory(phone, at: view.instant, in: run).json))
  }

  private func unknown(_ name: String) -> ServiceAnswer {
    let near = NearestName.find(name, in: run.steering.phoneNames).map { "; did you mean '\($0)'?" } ?? ""
    return .error(404, "unknown_phone", "the run has no phone '\(name)' at that time\(near)")
  }

  /// Reads the recording on another thread, so that other requests need not wait.
  private func recorded(
    _ request: ServiceRequest, orNow: Bool = false, _ answer: @escaping @Sendable (RecordedMoment) -> ServiceAnswer
  ) -> ServiceReply {
    guard let recording = run.steering.recording else {
      return .answer(
        .error(
          409, "not_recorded",
          "only runs in the modes virtual and lockstep are recorded; this one is \(run.steering.mode.rawValue)"))
    }
    var instant = Nanoseconds(Int64.max / 2)
    if let text = request.parameter("instant") {
      guard let seconds = Double(text) ?? ScenarioDocument.seconds(text), seconds >= 0, seconds < 1e9 else {
        return .answer(.badParameter("instant", "must be a time of the run, in seconds or such as 90s, 5m, 1h30m"))
      }
      instant = Nanoseconds(Int64(seconds * 1e9))
    } else if !orNow {
      return .answer(.badParameter("instant", "is missing: name a time of the run, in seconds or as in 90s, 5m, 1h30m"))
    }
    let worker = worker
    return .later { [instant] post in
      if !worker.perform({ post(answer(recording.moment(at: instant))) }) {
        post(.error(503, "overloaded", "too many instants are asked for; try again").with(HeaderName.retryAfter, "1"))
      }
    }
  }

  func errors() -> ServiceAnswer {
    guard let view = run.steering.view else { return .notYet }
    return .json(200, .object(["errors": .array(view.errors.map(\.told))]))
  }

  func acts() -> ServiceAnswer {
    .json(200, .object(["acts": .array(run.steering.entries.map(\.json))]))
  }

  /// Answers with the result and the duration when the act has taken effect.
  func act(_ request: ServiceRequest) -> ServiceReply {
    guard request.mediaType == "application/json" else {
      return .answer(.error(415, "unsupported_media_type", "an act is JSON: send Content-Type: application/json"))
    }
    let act: RunAct
    do {
      act = try RunAct(json: try JSONValue(parsing: request.body.span))
    } catch let error as RunActError {
      return .answer(.refused(error, status: 400))
    } catch {
      return .answer(.error(400, "bad_json", "\(error)"))
    }
    // A plan with such an act could not be read again.
    if case .expireTokens = act, !run.hasTokens {
      let error = RunActError(
        "expireTokens", "the run has no tokens", remedy: #"add target: { auth: { strategy: "jwt" } } to the scenario"#)
      return .answer(.refused(error, status: 400))
    }
    let steering = run.steering
    return .later { post in
      do throws(RunActError) {
        _ = try steering.submit(act) { entry in
          if case .refused(let error) = entry.outcome {
            post(.refused(error, status: 409))
          } else {
            post(.json(200, entry.json))
          }
        }
      } catch {
        post(.refused(error, status: error.place.isEmpty ? 409 : 400))
      }
    }
  }

  func scenario() -> ServiceReply {
    let text = run.steering.scenarioText
    return .answer(
      ServiceAnswer(200, "application/json5", Array(text.utf8))
        .with(HeaderName.contentDisposition, "attachment; filename=\"session.json5\""))
  }

  /// Answers with the report: JSON with `?format=json`, otherwise a page.
  func report(_ request: ServiceRequest) -> ServiceReply {
    let format = request.parameter("format") ?? "html"
    guard ["html", "json"].contains(format) else { return .answer(.badParameter("format", "must be html or json")) }
    let (board, page) = (board, run.page)
    return .later { post in
      board.ask { summary in
        post(
          format == "json"
            ? .json(200, summary.json) : ServiceAnswer(200, "text/html; charset=utf-8", Array(page(summary).utf8)))
      }
    }
  }
}

extension ServiceAnswer {
  /// The answer in the first moments of a run.
  static let notYet = ServiceAnswer.error(503, "not_yet", "the run has not begun; try again").with(
    HeaderName.retryAfter, "1")

  static func refused(_ error: RunActError, status: Int) -> ServiceAnswer {
    .error(
      status, status == 400 ? "bad_act" : "act_refused", "\(error)",
      detail: .object(["place": .string(error.place), "remedy": .string(error.remedy)]))
  }
}
