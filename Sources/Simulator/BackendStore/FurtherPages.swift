import AnswerCheck

/// A sign beside the entries of a list, or in the head of the answer, that more pages follow.
struct FurtherPages {
  /// The path without `$.`, as `paging.next`, or the name of a header field.
  let path: String
  /// The value, as shown.
  let value: String

  private static let names = [
    "next", "next_page", "nextPage", "next_cursor", "nextCursor", "next_page_token", "nextPageToken", "cursor",
    "continuation", "continuationToken", "has_more", "hasMore", "hasNextPage", "has_next_page", "has_next", "hasNext",
    "next_page_url", "nextPageUrl", "next_token", "nextToken", "NextToken", "nextLink", "@odata.nextLink", "truncated",
    "isTruncated", "is_truncated", "IsTruncated",
  ]
  /// The number of a page, and that of the last one.
  private static let pages = [
    ("page", "pages"), ("page", "total_pages"), ("page", "totalPages"), ("page", "last_page"),
    ("current_page", "last_page"), ("current_page", "total_pages"), ("currentPage", "totalPages"),
  ]
  /// The size of a page, and the total number of entries.
  private static let sizes = ["limit", "per_page", "perPage", "page_size", "pageSize", "size", "count"]
  private static let totals = ["total", "total_count", "totalCount", "totalElements", "total_results", "totalResults"]
  private static let depthMax = 4

  private init(_ path: String, _ value: StoredValue) { (self.path, self.value) = (path, value.shown) }

  /// `entries`: those of this page; `listed`: those of all pages so far. Lists are not searched, because entries have
  /// members of their own.
  init?(in value: StoredValue, entries: Int, listed: Int, path: String = "", depth: Int = 0) {
    guard case .object(let members) = value, depth < FurtherPages.depthMax else { return nil }
    // If a member such as `has_more` is false, a cursor only serves later queries.
    if members.contains(where: { $0.value.isNo && $0.key.lowercased().hasPrefix("has") && Self.names.contains($0.key) })
    {
      return nil
    }
    if let (name, member) = FurtherPages.sign(in: value, entries: entries, listed: listed) {
      self.init(path + name, member)
      return
    }
    for member in members {
      let inner = "\(path)\(member.key)."
      let found = FurtherPages(in: member.value, entries: entries, listed: listed, path: inner, depth: depth + 1)
      guard let found else { continue }
      self = found
      return
    }
    return nil
  }

  private static func sign(in value: StoredValue, entries: Int, listed: Int) -> (String, StoredValue)? {
    for name in names { if let member = value[name], member.leadsOn { return (name, member) } }
    // Spring's page.
    if let last = value["last"], last.isNo { return ("last", last) }
    for (page, last) in pages {
      if let number = value[page]?.count, let end = value[last], let count = end.count, number < count {
        return (last, end)
      }
    }
    // A total alone may be that of all devices; with a full page it is that of the list.
    guard entries > 0, sizes.contains(where: { value[$0]?.count == entries }) else { return nil }
    for name in totals {
      if let total = value[name], let count = total.count, count > listed { return (name, total) }
    }
    return nil
  }

  /// `Content-Range: items 0-9/58` (RFC 9110 §14.4), or `X-Total-Count: 58`.
  init?(_ head: AnswerHead, listed: Int) {
    if let range = head["Content-Range"], let slash = range.lastIndex(of: "/"), let dash = range.lastIndex(of: "-"),
      dash < slash, let total = Int(range[range.index(after: slash)...]),
      let last = Int(range[range.index(after: dash)..<slash]), last < total - 1
    {
      (path, value) = ("Content-Range", range)
    } else if let text = head["X-Total-Count"], let total = Int(text), total > listed, listed > 0 {
      (path, value) = ("X-Total-Count", text)
    } else {
      return nil
    }
  }
}

extension StoredValue {
  fileprivate var isNo: Bool { if case .bool(false) = self { true } else { false } }

  fileprivate var count: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }

  /// Whether the value indicates a next page, like a cursor, a URL or true.
  fileprivate var leadsOn: Bool {
    switch self {
    case .text(let text): !text.isEmpty
    case .number, .bool(true): true
    // Links of HAL and JSON:API.
    case .object: self["href"]?.leadsOn ?? false
    case .null, .bool, .list: false
    }
  }
}
