import Contract
import HTTP1
import Store

/// A list in the store and its output format. The whole list is sent page by page and is never in memory; a single page is one
/// answer with the cursor of the next.
struct Listing<Element: Sendable, Cursor: Sendable>: Sendable {
  let format: ListFormat<Element>
  /// Reads the elements after the cursor, up to a maximum number.
  let read: @Sendable (any StoreReader, Cursor?, Int) throws(StoreError) -> Page<Element, Cursor>
  let text: @Sendable (Cursor) -> String

  private static var pageBytes: Int { 65_536 }
  private static var rowsMax: Int { 512 }
  /// The maximum number of queries for one page, so that a list with few matches does not occupy a reader.
  private static var readsMax: Int { 64 }
  /// The number of elements to read before their size is known.
  private static var firstRows: Int { 16 }

  private struct Place: Sendable {
    var cursor: Cursor?
    var rows = Listing.firstRows
    var isAtStart = true
  }

  /// Returns the beginning of everything after the cursor, and the source of the rest.
  func whole(_ reader: any StoreReader, after cursor: Cursor?) throws(StoreError) -> Response {
    let first = try piece(reader, Place(cursor: cursor))
    var response = Response(200, format.contentType, format.opening + first.bytes)
    response.rest = first.next
    return response
  }

  private func piece(_ reader: any StoreReader, _ place: Place) throws(StoreError) -> ContentPage {
    let page = try read(reader, place.cursor, place.rows)
    var bytes: [UInt8] = []
    var following = place
    append(page.elements, to: &bytes, &following.isAtStart)
    guard let next = page.next else { return ContentPage(bytes: bytes + format.closing(nil), next: nil) }
    following.cursor = next
    following.rows = Self.rows(after: page.elements.count, bytes: bytes.count, place.rows)
    let there = following
    return ContentPage(
      bytes: bytes,
      next: .store { (reader: any StoreReader) throws(StoreError) -> ContentPage in try piece(reader, there) })
  }

  /// Returns the number of rows for a page of about `pageBytes`, from the size of the last ones.
  private static func rows(after count: Int, bytes: Int, _ rows: Int) -> Int {
    guard count > 0, bytes > 0 else { return rows }
    return max(1, min(count * pageBytes / bytes, rows * 4, rowsMax))
  }

  /// Returns one answer of at most `limit` elements, or fewer when they are very large. `query` is that of the request: the
  /// link to the next page repeats it with another cursor (RFC 8288).
  func page(
    _ reader: any StoreReader, after cursor: Cursor?, limit: Int, query: [FormItem]
  ) throws(StoreError) -> Response {
    var bytes = format.opening
    var isAtStart = true
    var next = cursor
    var remaining = limit
    var rows = Self.firstRows
    var reads = 0
    repeat {
      reads += 1
      let start = bytes.count
      let page = try read(reader, next, min(remaining, rows))
      append(page.elements, to: &bytes, &isAtStart)
      next = page.next
      remaining -= page.elements.count
      rows = Self.rows(after: page.elements.count, bytes: bytes.count - start, rows)
    } while next != nil && remaining > 0 && bytes.count < 16 * Self.pageBytes && reads < Self.readsMax
    let nextText = next.map(text)
    let response = Response(200, format.contentType, bytes + format.closing(nextText))
    return nextText.map { response.with(HeaderName.link, Self.link(to: $0, query)) } ?? response
  }

  private func append(_ elements: [Element], to bytes: inout [UInt8], _ isAtStart: inout Bool) {
    for element in elements {
      if !isAtStart { bytes += format.separator }
      isAtStart = false
      format.append(element, &bytes)
    }
  }

  private static func link(to cursor: String, _ query: [FormItem]) -> String {
    let fields = query.filter { $0.name != "cursor" }.map { NameValuePair($0.name, $0.value) }
    let text = FormEncoding.encode(fields + [NameValuePair("cursor", cursor)])
    return "<?\(String(decoding: text, as: UTF8.self))>; rel=\"next\""
  }
}

extension Listing {
  /// Returns a page if there is a limit, otherwise everything.
  func reply(after cursor: Cursor?, limit: Int?, query: [FormItem]) -> Reply {
    .ask { (reader: any StoreReader) throws(StoreError) -> Response in
      try answer(reader, after: cursor, limit: limit, query: query)
    }
  }

  func answer(
    _ reader: any StoreReader, after cursor: Cursor?, limit: Int?, query: [FormItem]
  ) throws(StoreError) -> Response {
    guard let limit else { return try whole(reader, after: cursor) }
    return try page(reader, after: cursor, limit: limit, query: query)
  }
}
