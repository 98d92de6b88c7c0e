/** The page, with the headers that it is served with. */
export interface PageDocument {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The page. A build replaces this file by the finished text. */
export async function loadPage(): Promise<PageDocument> {
  const { buildPage } = await import("../../build/page.ts");
  return buildPage();
}
