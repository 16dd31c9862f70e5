/// How a recorded route is written.
package enum RouteFormat: String, CaseIterable, Sendable {
  case polyline = "bgsim-polyline"
  case gpx
  case geojson
  case csv
  case ndjson
  case sdkLog = "sdk-log"
}
