import Base
import Database
import Store

/// Reading and writing of the rows.
extension CommandRows {
  /// The tables that have any rows: usually none, and then they are not queried.
  struct Presence {
    var orders = false
    var broadcasts = false
    var returned = false
    var proofs = false
  }

  /// Called before the devices are locked. Groups with new orders run one after another on all nodes, so that no key is open
  /// twice.
  func loadOrders(_ round: PostgresRound) throws(PostgresRound.Failure) {
    guard addCount > 0 else { return }
    try round.send("SELECT pg_advisory_xact_lock(hashtextextended('orders of ' || current_schema(), 0))")
    var time = PostgresArguments()
    time.add(now)
    try round.send("SELECT count(*), count(*) FILTER (WHERE expires <= $1::int8) FROM orders WHERE is_open", time) {
      [self] result in
      openCount = Int(result.integer(0, 0))
      expiredCount = Int(result.integer(0, 1))
    }
    try round.sendNumbers(of: "order_ids", count: addCount) { [self] in numbers = $0[...] }
    guard !wantedKeys.isEmpty else { return }
    var arguments = PostgresArguments()
    arguments.add(texts: wantedKeys, of: { $0.target.columns.run })
    arguments.add(integers: wantedKeys, of: { $0.target.columns.kind })
    arguments.add(texts: wantedKeys, of: { $0.target.columns.text })
    arguments.add(texts: wantedKeys, of: { $0.deduplicationKey })
    arguments.add(now)
    try round.send(
      """
      SELECT place, min(id) FROM unnest($1::text[], $2::int8[], $3::text[], $4::text[]) WITH ORDINALITY
        AS wanted(run, kind, target, key, place) JOIN orders USING (run, kind, target, key)
      WHERE is_open AND expires > $5::int8 GROUP BY place
      """, arguments
    ) { [self] result in
      for row in 0..<result.count {
        let wanted = wantedKeys[Int(result.integer(row, 0)) - 1]
        guard let key = wanted.deduplicationKey else { continue }
        openKeys[OpenKey(target: wanted.target, key: ExactText(key))] = result.integer(row, 1)
      }
    }
  }

  func loadPresence(
    _ round: PostgresRound, _ found: @escaping (Presence) -> Void
  ) throws(PostgresRound.Failure) {
    guard !takeLimits.isEmpty || awaitsProofs || !marks.isEmpty || !returns.isEmpty else { return }
    try round.send(
      """
      SELECT EXISTS (SELECT FROM orders WHERE is_open AND kind = 0), EXISTS (SELECT FROM orders WHERE is_open AND kind > 0),
        EXISTS (SELECT FROM deliveries WHERE state = \(DeliveryState.due)), EXISTS (SELECT FROM proofs)
      """
    ) { result in
      found(
        Presence(
          orders: result.flag(0, 0), broadcasts: result.flag(0, 1), returned: result.flag(0, 2),
          proofs: result.flag(0, 3)))
    }
  }

  /// Called while the devices are locked.
  func load(_ round: PostgresRound, _ presence: Presence) throws(PostgresRound.Failure) {
    let known = devices.all.compactMap(\.id)
    if presence.orders, !takeLimits.isEmpty { try loadDue(round) }
    if presence.broadcasts, !takeLimits.isEmpty { try loadBroadcasts(round) }
    if presence.broadcasts || !wantedTags.isEmpty, !takeLimits.isEmpty { try loadTags(round, known) }
    if presence.returned, !takeLimits.isEmpty { try loadReturned(round) }
    if presence.proofs { try loadProofs(round, known) }
    if !marks.isEmpty || !returns.isEmpty { try loadMarked(round) }
  }

  private func loadDue(_ round: PostgresRound) throws(PostgresRound.Failure) {
    let places = takeLimits.keys.sorted()
    var arguments = PostgresArguments()
    arguments.add(texts: places, of: { devices[$0].identity.run })
    arguments.add(texts: places, of: { devices[$0].identity.name })
    arguments.add(integers: places, of: { Int64(takeLimits[$0] ?? 0) })
    arguments.add(now)
    try round.send(
      """
      SELECT id, run, kind, target, expires, command, proof_kind, proof_value, key, place
      FROM unnest($1::text[], $2::text[], $3::int8[]) WITH ORDINALITY AS wanted(device_run, name, most, place)
      CROSS JOIN LATERAL (
        SELECT * FROM orders WHERE is_open AND run = device_run AND kind = 0 AND target = name AND expires > $4::int8
        ORDER BY id LIMIT most) AS found
      """, arguments
    ) { [self] result in
      for row in 0..<result.count {
        let order = Order(result, row)
        orders[order.id] = order
        makeDue(order.id, at: places[Int(result.integer(row, 9)) - 1])
      }
    }
  }

  private func loadBroadcasts(_ round: PostgresRound) throws(PostgresRound.Failure) {
    var arguments = PostgresArguments()
    arguments.add(texts: Set(devices.all.map { ExactText($0.identity.run) }), of: { $0.text })
    arguments.add(takeLimits.keys.map { devices[$0].broadcastMark }.min() ?? 0)
    arguments.add(now)
    try round.send(
      """
      SELECT id, run, kind, target, expires, command, proof_kind, proof_value, key FROM orders
      WHERE is_open AND run = ANY($1::text[]) AND kind IN (1, 2) AND id > $2::int8 AND expires > $3::int8 ORDER BY id
      """, arguments
    ) { [self] result in
      var found: [Int64] = []
      for row in 0..<result.count {
        let order = Order(result, row)
        orders[order.id] = order
        found.append(order.id)
      }
      broadcasts = found + broadcasts
    }
  }

  private func loadTags(_ round: PostgresRound, _ known: [Int64]) throws(PostgresRound.Failure) {
    var arguments = PostgresArguments()
    arguments.add(integers: known, of: { $0 })
    arguments.add(now)
    arguments.add(texts: wantedTags, of: { $0.text })
    try round.send(
      """
      SELECT device, tag FROM device_tags WHERE device = ANY($1::int8[]) AND (tag = ANY($3::text[])
        OR tag IN (SELECT target FROM orders WHERE is_open AND kind = 1 AND expires > $2::int8))
      """, arguments
    ) { [self] result in
      for row in 0..<result.count { tags[result.integer(row, 0), default: []].insert(ExactText(result.text(row, 1))) }
    }
  }

  private func loadReturned(_ round: PostgresRound) throws(PostgresRound.Failure) {
    let places = takeLimits.keys.filter { devices[$0].id != nil }.sorted()
    var arguments = PostgresArguments()
    arguments.add(integers: places, of: { devices[$0].id })
    arguments.add(now)
    try round.send(
      """
      SELECT id, run, kind, target, expires, orders.command, proof_kind, proof_value, key, is_open, place,
        state, sent, confirmed, attempts, proven
      FROM unnest($1::int8[]) WITH ORDINALITY AS wanted(wanted_device, place)
      JOIN deliveries ON device = wanted_device AND state = \(DeliveryState.due) JOIN orders ON id = deliveries.command
      WHERE expires > $2::int8 AND kind BETWEEN 0 AND 2
      """, arguments
    ) { [self] result in
      for row in 0..<result.count {
        var order = Order(result, row)
        order.isOpen = result.flag(row, 9)
        let place = places[Int(result.integer(row, 10)) - 1]
        guard let device = devices[place].id else { continue }
        orders[order.id] = order
        deliveries[Key(command: order.id, device: device)] = Delivery(result, row, from: 11)
        makeDue(order.id, at: place)
      }
    }
  }

  private func loadProofs(_ round: PostgresRound, _ known: [Int64]) throws(PostgresRound.Failure) {
    var arguments = PostgresArguments()
    arguments.add(integers: known, of: { $0 })
    try round.send(
      """
      SELECT proofs.device, proofs.command, kind, value, proofs.sent, state, deliveries.sent, confirmed, attempts, proven
      FROM proofs LEFT JOIN deliveries USING (command, device) WHERE proofs.device = ANY($1::int8[]) ORDER BY kind
      """, arguments
    ) { [self] result in
      for row in 0..<result.count {
        let key = Key(command: result.integer(row, 1), device: result.integer(row, 0))
        if !result.isNull(row, 5) { deliveries[key] = Delivery(result, row, from: 5) }
        guard let proof = CommandProof(kind: result.integer(row, 2), value: result.optionalDouble(row, 3) ?? 0) else {
          continue
        }
        proofs[key.device, default: []].append(
          Awaited(command: key.command, proof: proof, sent: result.integer(row, 4)))
      }
    }
  }

  private func loadMarked(_ round: PostgresRound) throws(PostgresRound.Failure) {
    let wanted =
      marks.map { ($0.identity, first: $0.id, last: $0.id) }
      + returns.map { ($0.identity, first: $0.first, last: .max) }
    var arguments = PostgresArguments()
    arguments.add(integers: wanted, of: { $0.first })
    arguments.add(integers: wanted, of: { $0.last })
    arguments.add(integers: wanted, of: { devices[devices.place(of: $0.0)].id })
    try round.send(
      """
      SELECT deliveries.command, device, state, sent, confirmed, attempts, proven, id, run, kind, target, expires,
        orders.command, proof_kind, proof_value, key, is_open
      FROM unnest($1::int8[], $2::int8[], $3::int8[]) AS wanted(first, last, device) JOIN deliveries USING (device)
      LEFT JOIN orders ON id = deliveries.command AND kind BETWEEN 0 AND 2
      WHERE deliveries.command BETWEEN first AND last
      """, arguments
    ) { [self] result in
      for row in 0..<result.count {
        let key = Key(command: result.integer(row, 0), device: result.integer(row, 1))
        deliveries[key] = Delivery(result, row, from: 2)
        guard !result.isNull(row, 7) else { continue }
        var order = Order(result, row, from: 7)
        order.isOpen = result.flag(row, 16)
        orders[key.command] = order
      }
    }
  }
}

extension CommandRows {
  func write(_ round: PostgresRound) throws(PostgresRound.Failure) {
    if closesExpired {
      var arguments = PostgresArguments()
      arguments.add(now)
      try round.send("UPDATE orders SET is_open = false WHERE is_open AND expires <= $1::int8", arguments)
    }
    try writeOrders(round)
    try writeDeliveries(round)
    try writeProofs(round)
  }

  private func writeOrders(_ round: PostgresRound) throws(PostgresRound.Failure) {
    let new = newOrders.compactMap { orders[$0] }
    if !new.isEmpty {
      var arguments = PostgresArguments()
      arguments.add(integers: new, of: { $0.id })
      arguments.add(texts: new, of: { $0.target.columns.run })
      arguments.add(integers: new, of: { $0.target.columns.kind })
      arguments.add(texts: new, of: { $0.target.columns.text })
      arguments.add(texts: new, of: { $0.key })
      arguments.add(now)
      arguments.add(integers: new, of: { $0.expires })
      arguments.add(flags: new, of: { $0.isOpen })
      arguments.add(blobs: new, of: { $0.command })
      arguments.add(integers: new, of: { $0.proof?.columns.kind })
      arguments.add(doubles: new, of: { $0.proof?.columns.value })
      try round.send(
        """
        INSERT INTO orders(id, run, kind, target, key, created, expires, is_open, command, proof_kind, proof_value)
        SELECT id, run, kind, target, key, $6::int8, expires, is_open, command, proof_kind, proof_value
        FROM unnest($1::int8[], $2::text[], $3::int8[], $4::text[], $5::text[], $7::int8[], $8::bool[], $9::bytea[],
          $10::int8[], $11::float8[])
          AS new(id, run, kind, target, key, expires, is_open, command, proof_kind, proof_value)
        """, arguments)
    }
    let turned = turnedOrders.subtracting(newOrders).sorted().compactMap { orders[$0] }
    guard !turned.isEmpty else { return }
    var arguments = PostgresArguments()
    arguments.add(integers: turned, of: { $0.id })
    arguments.add(flags: turned, of: { $0.isOpen })
    try round.send(
      """
      UPDATE orders SET is_open = turned.is_open FROM unnest($1::int8[], $2::bool[]) AS turned(id, is_open)
      WHERE orders.id = turned.id
      """, arguments)
  }

  private func writeDeliveries(_ round: PostgresRound) throws(PostgresRound.Failure) {
    let changed = deliveries.filter(\.value.isChanged).sorted {
      ($0.key.command, $0.key.device) < ($1.key.command, $1.key.device)
    }
    guard !changed.isEmpty else { return }
    var arguments = PostgresArguments()
    arguments.add(integers: changed, of: { $0.key.command })
    arguments.add(integers: changed, of: { $0.key.device })
    arguments.add(integers: changed, of: { $0.value.state })
    arguments.add(integers: changed, of: { $0.value.sent })
    arguments.add(integers: changed, of: { $0.value.confirmed })
    arguments.add(integers: changed, of: { $0.value.attempts })
    arguments.add(integers: changed, of: { $0.value.proven })
    try round.send(
      """
      INSERT INTO deliveries(command, device, state, sent, confirmed, attempts, proven)
      SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[])
      ON CONFLICT (command, device) DO UPDATE SET state = excluded.state, sent = excluded.sent,
        confirmed = excluded.confirmed, attempts = excluded.attempts, proven = excluded.proven
      """, arguments)
  }

  private func writeProofs(_ round: PostgresRound) throws(PostgresRound.Failure) {
    guard !changedProofs.isEmpty else { return }
    var changed = PostgresArguments()
    changed.add(integers: changedProofs, of: { $0 })
    try round.send("DELETE FROM proofs WHERE device = ANY($1::int8[])", changed)
    let rows = changedProofs.sorted().flatMap { device in (proofs[device] ?? []).map { (device, $0) } }
    guard !rows.isEmpty else { return }
    var arguments = PostgresArguments()
    arguments.add(integers: rows, of: { $0.0 })
    arguments.add(integers: rows, of: { $0.1.proof.columns.kind })
    arguments.add(integers: rows, of: { $0.1.command })
    arguments.add(doubles: rows, of: { $0.1.proof.columns.value })
    arguments.add(integers: rows, of: { $0.1.sent })
    try round.send(
      """
      INSERT INTO proofs(device, kind, command, value, sent)
      SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::float8[], $5::int8[])
      """, arguments)
  }
}

extension CommandRows.Order {
  /// Reads nine columns: id, run, kind, target, expires, command, the two of its proof, key.
  fileprivate init(_ result: PostgresResult, _ row: Int, from first: Int = 0) {
    let target = QueuedCommand.Target(
      kind: result.integer(row, first + 2), run: result.text(row, first + 1), text: result.text(row, first + 3))
    guard let target else { preconditionFailure("each statement asks for orders of known kinds") }
    self.init(
      id: result.integer(row, first), target: target,
      expires: result.integer(row, first + 4), command: result.blob(row, first + 5),
      proof: CommandProof(
        kind: result.integer(row, first + 6), value: result.optionalDouble(row, first + 7) ?? 0),
      key: result.optionalText(row, first + 8))
  }
}

extension CommandRows.Delivery {
  /// Reads five columns: state, sent, confirmed, attempts, proven.
  fileprivate init(_ result: PostgresResult, _ row: Int, from first: Int) {
    self.init(
      state: result.integer(row, first), sent: result.integer(row, first + 1),
      confirmed: result.optionalInteger(row, first + 2), attempts: result.integer(row, first + 3),
      proven: result.optionalInteger(row, first + 4))
  }
}
