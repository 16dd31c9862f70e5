/// An object of the scenario that one table describes. A new one has the standard values.
protocol ScenarioSection: Sendable {
  init()
  static var table: Table<Self> { get }
}

/// Every key of one section, once: reading, schema and reference all walk these rows.
struct Table<Section: Sendable>: Sendable {
  let name: String
  let text: String
  let rows: [Row<Section>]

  init(_ name: String, _ text: String, _ rows: [Row<Section>]) {
    self.name = name
    self.text = text
    self.rows = rows
  }

  var shape: SectionShape { SectionShape(name: name, text: text, keys: rows.map(\.key)) }
}
