/// A toxic as toxiproxy has it, and when in a request it acts.
package struct Toxic: Equatable, Sendable {
  package var effect: ToxicEffect
  package var stream: ToxicStream
  package var toxicity: Double
  package var phase: ToxicPhase?
}

/// `{ type, stream, toxicity, phase, attributes }`.
struct ToxicSection<Attributes: ScenarioSection>: ScenarioSection {
  var stream = ToxicStream.downstream
  var toxicity = 1.0
  var phase: ToxicPhase?
  var attributes = Attributes()

  static var table: Table<Self> {
    Table(
      "\(Attributes.table.name)-fault", Attributes.table.text,
      [
        .key("stream", \.stream, .choice, "Which way the bytes go."),
        .key("toxicity", \.toxicity, .share, "The share of connections that it touches."),
        .optional(
          "phase", \.phase, .choice, "How far a request has come when it acts; from the beginning when nobody says."),
        .key("attributes", \.attributes, .section(), "How strong it is."),
      ])
  }
}

extension Form where Value == Toxic {
  static var toxic: Form {
    variants(
      tag: "type",
      [
        variant("latency") { .latency($0) }, variant("bandwidth") { .bandwidth($0) },
        variant("slow_close") { .slowClose($0) }, variant("timeout") { .timeout($0) },
        variant("reset_peer") { .resetPeer($0) }, variant("slicer") { .slicer($0) },
        variant("limit_data") { .limitData($0) },
      ])
  }

  private static func variant<Attributes: ScenarioSection>(
    _ name: String, _ wrap: @escaping @Sendable (Attributes) -> ToxicEffect
  ) -> Variant<Toxic> {
    Variant(name) { (section: ToxicSection<Attributes>) in
      Toxic(
        effect: wrap(section.attributes), stream: section.stream, toxicity: section.toxicity, phase: section.phase)
    }
  }
}
