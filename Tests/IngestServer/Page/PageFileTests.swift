import Contract
import FoundationEssentials
import Testing

@testable import IngestServer

/// The files of the page as the server serves them.
@Suite struct PageFileTests {
  /// The folder `page` of the checkout, from the place of this very file.
  private static let folder = #filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/" + $1 } + "/page"

  private var names: [String] {
    // The folder in it is that of the control room.
    get throws { try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0 != "room" }.sorted() }
  }

  @Test func everyFileOfTheFolderIsServedAsItIs() throws {
    let harness = try SessionHarness()
    #expect(try names == PageFile.embedded.keys.sorted())
    for name in try names {
      let answer = try harness.request("GET", "/page/\(name)")
      #expect(answer.status == 200)
      let file = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
      #expect(answer.text == file, "\(name)")
    }
  }

  @Test func everyFileOfTheRoomIsEmbeddedAsItIs() throws {
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: Self.folder + "/room").sorted() == PageFile.room.keys.sorted()
    )
    for (name, file) in PageFile.room {
      let text = try String(contentsOfFile: "\(Self.folder)/room/\(name)", encoding: .utf8)
      #expect(Array(text.utf8) == file.bytes, "\(name)")
    }
    #expect(PageFile.room.values.reduce(0) { $0 + $1.bytes.count } < 80_000)
  }

  @Test func thePageIsSmall() {
    #expect(PageFile.embedded.values.reduce(0) { $0 + $1.bytes.count } < 256_000)
  }

  @Test func theRootIsThePageWithinARunToo() throws {
    let harness = try SessionHarness()
    for path in ["/", "/r/job-1/", "/page/index.html", "/r/job-1/page/index.html"] {
      let answer = try harness.request("GET", path)
      #expect(answer.status == 200 && answer.field("Content-Type") == "text/html; charset=utf-8", "\(path)")
    }
  }

  @Test func theNameOfARunWithoutASlashLeadsToItsPage() throws {
    let harness = try SessionHarness()
    for (path, place) in [("/r/job-1", "./job-1/"), ("/r/a:b%20c", "./a:b%20c/")] {
      let answer = try harness.request("GET", path)
      #expect(answer.status == 308 && answer.field("Location") == place, "\(path)")
    }
    for path in ["/r", "/r/", "/job-1"] { #expect(try harness.request("GET", path).status == 404, "\(path)") }
    #expect(try harness.request("POST", "/r/job-1", body: "{}").status == 404)
  }

  @Test func nothingElseIsServed() throws {
    let harness = try SessionHarness()
    for path in ["/page/", "/page/nothing.js", "/page/a/b"] {
      #expect(try harness.request("GET", path).status == 404, "\(path)")
    }
    #expect(try harness.request("POST", "/page/app.js", body: "{}").status == 405)
  }

  /// What the page offers is what the server knows.
  @Test func thePageKnowsEveryCommandAndEveryFault() throws {
    let orders = String(decoding: try #require(PageFile.embedded["orders.js"]).bytes, as: UTF8.self)
    for name in CommandName.allCases { #expect(orders.contains("\n  \(name.rawValue): "), "\(name)") }
    let faults = String(decoding: try #require(PageFile.embedded["fault-kinds.js"]).bytes, as: UTF8.self)
    for kind in ServerFault.Kind.allCases { #expect(faults.contains("\n  \(kind.rawValue): ["), "\(kind)") }
  }

  @Test func aCachedFileGets304() throws {
    let harness = try SessionHarness()
    let first = try harness.request("GET", "/page/app.js")
    let tag = try #require(first.field("ETag"))
    for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
      let again = try harness.request("GET", "/page/app.js", [("If-None-Match", known)])
      #expect(again.status == 304 && again.body.isEmpty, "\(known)")
      #expect(again.field("Content-Length") == nil && again.field("ETag") == tag)
    }
    #expect(try harness.request("GET", "/page/app.js", [("If-None-Match", "\"other\"")]).status == 200)
  }

  @Test func nothingForeignMayRunInThePage() throws {
    let answer = try SessionHarness().request("GET", "/")
    let policy = try #require(answer.field("Content-Security-Policy")).split(separator: "; ")
    for rule in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:"] {
      #expect(policy.contains { $0 == rule }, "\(rule)")
    }
    #expect(!policy.contains { $0.contains("unsafe") || $0.contains("http") })
    #expect(answer.field("X-Content-Type-Options") == "nosniff")
    for name in try names where name.hasSuffix(".html") || name.hasSuffix(".js") {
      let text = String(decoding: PageFile.embedded[name]?.bytes ?? [], as: UTF8.self)
      #expect(!text.contains("innerHTML") && !text.contains("style=\"") && !text.contains("onclick=\""), "\(name)")
    }
  }

  @Test func tilesOpenThePageToTheirHostAlone() throws {
    let tiles = try #require(
      MapTiles(url: "https://tiles.example:8443/{z}/{x}/{y}.png?key=a", credit: #"<b>"us" & them"#))
    let answer = try SessionHarness { $0.tiles = tiles }.request("GET", "/")
    let policy = try #require(answer.field("Content-Security-Policy"))
    #expect(policy.contains("img-src 'self' data: https://tiles.example:8443;"))
    #expect(policy.components(separatedBy: "tiles.example").count == 2)
    #expect(
      answer.text.contains(
        #"content="https://tiles.example:8443/{z}/{x}/{y}.png?key=a" data-credit="&lt;b&gt;&quot;us&quot; &amp; them">"#
      ))
  }

  @Test(arguments: [
    "tiles.example/{z}/{x}/{y}", "https://tiles.example/{z}/{x}", "https:///{z}/{x}/{y}", "ftp://a/{z}/{x}/{y}",
    "https://a b/{z}/{x}/{y}", "https://a;script-src/{z}/{x}/{y}", "https://a/{z}/{x}/{y}\"", "https://{z}/{x}/{y}",
    "https://a'/{z}/{x}/{y}", "https://a@b/{z}/{x}/{y}",
  ])
  func anInvalidTileURLIsRefused(url: String) {
    #expect(MapTiles(url: url) == nil)
  }

  /// Without a token, a browser on this machine would let any page of the web use the administration.
  @Test func pagesOfOtherSitesAdministerNothing() throws {
    let harness = try SessionHarness()
    for site in ["cross-site", "same-site"] {
      let answer = try harness.request("POST", "/admin/v1/reset", [("Sec-Fetch-Site", site)])
      #expect(answer.status == 403, "\(site)")
      #expect(try answer.errorCode == "foreign_site")
    }
    for site in ["same-origin", "none"] {
      #expect(try harness.request("GET", "/admin/v1/stats", [("Sec-Fetch-Site", site)]).status == 200, "\(site)")
    }
    let guarded = try SessionHarness { $0.adminToken = "secret" }
    let fields = [("Sec-Fetch-Site", "cross-site"), ("Authorization", "Bearer secret")]
    #expect(try guarded.request("GET", "/admin/v1/stats", fields).status == 200)
  }
}
