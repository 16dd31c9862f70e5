import Contract
import HTTPService
import IngestServer

/// The page of the room, what it is made of, and the contract.
struct RoomFiles: Sendable {
  private let policy = PageFile.policy(images: nil)

  var contract: ServiceAnswer { ServiceAnswer(200, "application/json", ContractFile.room) }

  func page(_ request: ServiceRequest) -> ServiceAnswer { answer(PageFile.room["index.html"], request) }

  /// A file that the live page of a server has too.
  func shared(_ request: ServiceRequest) -> ServiceAnswer {
    answer(request.path.last.flatMap { PageFile.embedded[$0] }, request)
  }

  func own(_ request: ServiceRequest) -> ServiceAnswer {
    answer(request.path.last.flatMap { PageFile.room[$0] }, request)
  }

  /// A browser keeps a file and asks each time whether it is still the one.
  private func answer(_ file: PageFile?, _ request: ServiceRequest) -> ServiceAnswer {
    guard let file else { return .error(404, "not_found", "no route has this path; see /openapi.json") }
    let isKnown = file.isKnown(by: request.ifNoneMatch)
    return ServiceAnswer(isKnown ? 304 : 200, file.mediaType, isKnown ? [] : file.bytes)
      .with(HeaderName.eTag, file.entityTag).with(HeaderName.cacheControl, "no-cache")
      .with(HeaderName.contentSecurityPolicy, policy).with(HeaderName.contentTypeOptions, "nosniff")
      .with(HeaderName.referrerPolicy, "no-referrer").with(HeaderName.crossOriginOpenerPolicy, "same-origin")
      .with(HeaderName.crossOriginResourcePolicy, "same-origin")
  }
}
