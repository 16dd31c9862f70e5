extension HTTPSettings {
  /// Nil when there is no upload: no url, a scheme other than http and https, or no host.
  package var uploadURL: String? {
    let lowercased = url.lowercased()
    guard let scheme = ["http://", "https://"].first(where: lowercased.hasPrefix) else { return nil }
    // RFC 3986 §3.2: authority = [ userinfo "@" ] host [ ":" port ], up to the next "/", "?" or "#".
    let authority = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let hostAndPort = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    return hostAndPort.isEmpty || hostAndPort.first == ":" ? nil : url
  }
}
