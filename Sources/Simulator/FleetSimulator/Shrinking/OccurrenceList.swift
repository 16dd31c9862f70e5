/// Writes down which faults befell whom, and when.
final class OccurrenceList: Watcher {
  private(set) var begun: [FaultOccurrence] = []

  func see(_ happening: Happening, _ sighting: Sighting) {
    if case .faultBegan(let occurrence) = happening { begun.append(occurrence) }
  }
}
