/** The page, with the value of its header `content-security-policy`. */
export interface PageDocument {
  readonly html: string;
  readonly csp: string;
}

/** The page. A build replaces this file by the finished text. */
export async function loadPage(): Promise<PageDocument> {
  const { buildPage } = await import("../../build/page.ts");
  return buildPage();
}
