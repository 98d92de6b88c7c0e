import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { LogEntry, OperationRecord } from "../api/schemas/operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { CasePage } from "../page/model.ts";
import { listenHere } from "../runtime/local-server.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { asList } from "../values/basics.ts";
import { type Block, cellText } from "../view/view.ts";
import { type CaseFile, unpackCase } from "./case-file.ts";
import { shownCase, showPage } from "./page.ts";

interface WebContext extends Pick<CommandContext, "files" | "report" | "signal"> {
  readonly write: (text: string) => Promise<void>;
}

/**
 * Serves a case as a page, from its file alone and for this machine alone, until the signal aborts.
 * @throws {UsageError} for anything but a case of this version
 */
export async function openCasePage(context: WebContext, path: string): Promise<void> {
  const { files, report, signal, write } = context;
  const state = JSON.stringify(pageOfCase(unpackCase(await files.readBytes(path), path), path));
  const { loadPage } = await import("../page/html.ts");
  const { html, headers } = await loadPage();
  const token = randomBytes(24).toString("base64url");
  const server = createServer((request, response) => {
    const isPage = request.url === "/";
    const isHere = isLoopback(URL.parse(`http://${request.headers.host}`)?.hostname ?? "");
    const status = !isHere ? 403 : isPage || hasToken(request, token) ? 200 : 401;
    response.writeHead(status, {
      ...headers,
      ...(!isPage && { "content-type": "application/json" }),
    });
    response.end(status !== 200 ? "" : isPage ? html : state);
  });
  const { url, close } = await listenHere(server);
  try {
    await write(`${url}/#${token}\n`);
    report.notice(`${path}, read-only. Open this URL in a browser; stop with Ctrl-C.`);
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await close();
  }
}

function hasToken({ headers: { authorization = "" } }: IncomingMessage, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}

/** What the page shows of a case: the same as `amp case show`, with the operations and their logs. */
function pageOfCase(file: CaseFile, path: string): CasePage {
  const { verdict, redactions, answers, who } = file;
  const whole = showPage(shownCase(path, file, undefined, undefined));
  const facts = (blockOf(whole.blocks, "rows")?.rows ?? []).map(([label, value]) => ({
    label,
    texts: asList(value).map(cellText),
  }));
  const origin = blockOf(whole.blocks.toReversed(), "text")?.text ?? "";
  return {
    kind: "case",
    title: who,
    aside: verdict.installation.id,
    origin,
    headline: verdict.headline,
    tone: (typeof whole.title === "object" && whole.title?.tone) || "",
    verdict: facts.filter(({ label }) => label !== "Evidence"),
    evidence: facts.flatMap(({ label, texts }) => (label === "Evidence" ? texts : [])),
    operations: operationsOf(answers),
    redacted: redactions.map(({ kind, where }) => [kind, where]),
  };
}

function blockOf<Kind extends Block["kind"]>(blocks: readonly Block[], kind: Kind) {
  return blocks.find((one): one is Extract<Block, { kind: Kind }> => one.kind === kind);
}

function operationsOf(answers: CaseFile["answers"]): CasePage["operations"] {
  const read = answers.filter(({ status }) => status === 200);
  const pages = read.filter(({ path }) => /\/installations\/[^/]+\/operations$/u.test(path));
  const operations = pages.flatMap(({ body }) => listOf<OperationRecord>(body));
  return operations.map(({ id, createTime, actionType, status, metadata, result }) => {
    const logs = read.find(({ path }) => path.endsWith(`/operations/${id}/logs`));
    return {
      id,
      time: createTime ?? "",
      what: [actionType, result ?? metadata?.objects?.join(", ")].filter(Boolean).join(" · "),
      status: status ?? "",
      logs: listOf<LogEntry>(logs?.body).map(({ timestamp, severity, message }) =>
        [timestamp, severity, message?.msg, message?.error].filter(Boolean).join("  "),
      ),
    };
  });
}

/** The records of a list, of which a case may say anything. */
function listOf<Each>(body: unknown): readonly Each[] {
  const list = (body as { readonly results?: unknown } | undefined)?.results ?? body;
  return Array.isArray(list) ? list : [];
}
