import Queue
import Testing

@Suite struct TableTests {
  private func fence(_ identifier: String, _ text: String = "{}", hits: Int = 0) -> StoredGeofence {
    StoredGeofence(
      identifier: identifier, definition: Array(text.utf8),
      status: StoredGeofence.Status(isInside: hits % 2 == 1, updatedAtSeconds: Double(hits) + 0.25, hits: hits))
  }

  @Test(arguments: QueueForm.allCases) func geofencesSurviveWithTheirStatus(form: QueueForm) throws {
    let bench = try Bench(form)
    var table: GeofenceTable { bench.database.geofences(of: bench.device) }
    #expect(try table.all() == [])
    try table.put([fence("b"), fence("a", "{\"x\":1}", hits: 3), fence("ü", "", hits: 2)])
    try bench.database.geofences(of: bench.device + 1).put([fence("a", "another's")])
    #expect(try table.update("b", status: .init(isInside: true, updatedAtSeconds: 1.5, hits: 1)))
    #expect(try table.update("c", status: .init()) == false)
    try bench.reopen()
    var changed = fence("b")
    changed.status = .init(isInside: true, updatedAtSeconds: 1.5, hits: 1)
    #expect(try table.all() == [fence("a", "{\"x\":1}", hits: 3), changed, fence("ü", "", hits: 2)])
  }

  /// SDK §15.1: state and hits begin anew.
  @Test(arguments: QueueForm.allCases) func addingAGeofenceAgainReplacesIt(form: QueueForm) throws {
    let bench = try Bench(form)
    let table = bench.database.geofences(of: bench.device)
    try table.put([fence("a", "old", hits: 7)])
    try table.put([fence("a", "new")])
    #expect(try table.all() == [fence("a", "new")])
  }

  @Test(arguments: QueueForm.allCases) func geofencesAreRemovedOneByOneAndAllAtOnce(form: QueueForm) throws {
    let bench = try Bench(form)
    let table = bench.database.geofences(of: bench.device)
    try table.put([fence("a"), fence("b"), fence("c")])
    let neighbours = bench.database.geofences(of: bench.device + 1)
    try neighbours.put([fence("a")])
    #expect(try table.remove("b"))
    #expect(try table.remove("b") == false)
    #expect(try table.all().map(\.identifier) == ["a", "c"])
    try table.removeAll()
    #expect(try table.all() == [])
    #expect(try neighbours.all() == [fence("a")])
  }

  @Test(arguments: QueueForm.allCases) func valuesSurviveUnderTheirName(form: QueueForm) throws {
    let bench = try Bench(form)
    var state: StateTable { bench.database.state(of: bench.device) }
    #expect(try state.value("configuration") == nil)
    try state.set("configuration", to: [1, 2, 3].span)
    try state.set("engine", to: [UInt8]().span)
    try bench.database.state(of: bench.device + 1).set("engine", to: [9].span)
    try state.set("configuration", to: [4].span)
    try bench.reopen()
    #expect(try state.value("configuration") == [4])
    #expect(try state.value("engine") == [])
    try state.remove("engine")
    #expect(try state.value("engine") == nil)
    #expect(try bench.database.state(of: bench.device + 1).value("engine") == [9])
  }
}
