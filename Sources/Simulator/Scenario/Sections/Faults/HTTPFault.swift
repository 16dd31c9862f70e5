package import Base

/// What goes wrong with requests that arrive.
package struct HTTPFault: Equatable, Sendable {
  package var abort: HTTPAbort?
  package var delay: HTTPDelay?
  package var answer: HTTPAnswerFault?

  package init() {}
}

extension HTTPFault: ScenarioSection {
  static let table = Table<HTTPFault>(
    "http-fault",
    "What goes wrong with requests that arrive; as Envoy's fault filter has it. A request meets the first of abort, answer and delay whose percentage and condition it satisfies.",
    [
      .optional("abort", \.abort, .section(), "Answered with a status, and nothing stored."),
      .optional("delay", \.delay, .section(), "Answered late."),
      .optional("answer", \.answer, .section(), "Answered badly."),
    ])
}

/// Answered with a status, and nothing stored.
package struct HTTPAbort: Equatable, Sendable {
  package var status = 503
  package var percentage = 100.0
  package var headers: [Named<String>] = []
  package var condition: Condition?

  package init() {}
}

extension HTTPAbort: ScenarioSection {
  static let table = Table<HTTPAbort>(
    "abort", "Answered with a status, and nothing stored.",
    [
      .required("status", \.status, .integer(200...599), "The status."),
      .key("percentage", \.percentage, .number(0...100), "How many requests of a hundred."),
      .key("headers", \.headers, .map(of: .text), "Headers of the answer, as Retry-After."),
      .optional(
        "when", \.condition, .condition(.request), "Only requests for which this holds, as in `request.bytes > 65536`."),
    ])
}

/// Answered late.
package struct HTTPDelay: Equatable, Sendable {
  package var fixedDelay = Nanoseconds.zero
  package var percentage = 100.0
  package var condition: Condition?

  package init() {}
}

extension HTTPDelay: ScenarioSection {
  static let table = Table<HTTPDelay>(
    "delay", "Answered late.",
    [
      .required("fixedDelay", \.fixedDelay, .duration, "How late."),
      .key("percentage", \.percentage, .number(0...100), "How many requests of a hundred."),
      .optional("when", \.condition, .condition(.request), "Only requests for which this holds."),
    ])
}

/// Answered badly.
package struct HTTPAnswerFault: Equatable, Sendable {
  package var kind = AnswerFault.drop
  package var percentage = 100.0
  package var condition: Condition?

  package init() {}
}

extension HTTPAnswerFault: ScenarioSection {
  static let table = Table<HTTPAnswerFault>(
    "answer", "Answered badly; by a server of ours only.",
    [
      .required("kind", \.kind, .choice, "What is wrong with the answer."),
      .key("percentage", \.percentage, .number(0...100), "How many requests of a hundred."),
      .optional("when", \.condition, .condition(.request), "Only requests for which this holds."),
    ])
}
