import JSON

extension ServerContext {
  /// `GET /admin/v1/map`: what was put, byte for byte; a collection of nothing when nobody has put anything.
  func map(_ exchange: Exchange) -> Response {
    let bytes = maps.map(of: exchange.target.run)?.bytes ?? Array(#"{"type":"FeatureCollection","features":[]}"#.utf8)
    return Response(200, "application/geo+json", bytes)
  }

  /// `PUT /admin/v1/map`: takes the place of the run's last one.
  func putMap(_ exchange: Exchange) -> Response {
    do throws(MapRefusal) {
      let map = try MapBoard.Map(geoJSON: exchange.body)
      maps.put(map, of: exchange.target.run)
      return .json { writer in
        writer.beginObject()
        writer.member("features", map.features)
        writer.endObject()
      }
    } catch {
      return .error(400, "bad_map", error.reason)
    }
  }

  /// `DELETE /admin/v1/map`; `deleted` is 0 when there was none.
  func deleteMap(_ exchange: Exchange) -> Response {
    let count = maps.clear(run: exchange.target.run)
    return .json { writer in
      writer.beginObject()
      writer.member("deleted", count)
      writer.endObject()
    }
  }
}
