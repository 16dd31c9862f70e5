import JSON

extension ServerContext {
  /// `GET /admin/v1/map`: what was put, byte for byte; a collection of nothing when nobody has put anything.
  func map(_ exchange: Exchange) -> Reply {
    let bytes = maps.map(of: exchange.run)?.bytes ?? Array(#"{"type":"FeatureCollection","features":[]}"#.utf8)
    return .answer(Response(200, "application/geo+json", bytes))
  }

  /// `PUT /admin/v1/map`: takes the place of the run's last one.
  func putMap(_ exchange: Exchange) -> Reply {
    do throws(MapRefusal) {
      let map = try MapBoard.Map(geoJSON: exchange.body)
      maps.put(map, of: exchange.run)
      return .answer(.count("features", map.features))
    } catch {
      return .answer(.error(400, "bad_map", error.reason))
    }
  }

  /// `DELETE /admin/v1/map`; `deleted` is 0 when there was none.
  func deleteMap(_ exchange: Exchange) -> Reply {
    .answer(.count("deleted", maps.clear(run: exchange.run)))
  }
}
