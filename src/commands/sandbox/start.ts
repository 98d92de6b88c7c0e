import { resolve } from "node:path";
import {
  defineCommand,
  file,
  flag,
  integer,
  needing,
  text,
  withDefault,
} from "../../cli/define.ts";
import { attemptText } from "../../events/page.ts";
import { isLoopback, sandboxTokenFile } from "../../runtime/loopback.ts";
import type { RequestLine } from "../../sandbox/app.ts";
import { LEAST_INSTALLATIONS, SANDBOX_DEFAULTS } from "../../sandbox/defaults.ts";
import { suggest } from "../../values/suggested-command.ts";
import { overwrite } from "../report-options.ts";

export default defineCommand({
  description:
    "The sandbox begins with sample projects, providers, installations and invites. The built-in profile sandbox uses it without a login. Prints the base URL when it is ready; then, on stderr, the URL of a page that shows events and their deliveries, and each request, except those that sandbox deliveries --follow repeats. Stop it with Ctrl-C. Its API key and access token are public: anyone who can reach its address can use it.",
  options: {
    port: withDefault(
      integer("port to listen on; 0 for any free port", { min: 0, max: 65_535 }),
      String(SANDBOX_DEFAULTS.port),
    ),
    host: withDefault(
      text("address to listen on; any but a loopback address is open to the network", {
        placeholder: "address",
      }),
      SANDBOX_DEFAULTS.host,
    ),
    state: file("keep the data in this file across restarts"),
    installations: integer(
      `serve this many sample installations, with every kind of problem (${LEAST_INSTALLATIONS} or more)`,
      { min: LEAST_INSTALLATIONS, max: 100_000 },
    ),
    world: file("start with the data of this seed file (JSON; see docs/sandbox.md)"),
    fromProject: text(
      "start with a copy of this project without secrets; reads it, and writes a seed file",
      { placeholder: "project", complete: "project" },
    ),
    save: needing("fromProject", withDefault(file("the seed file"), "world.json")),
    overwrite: needing("fromProject", overwrite),
    keepNames: needing("fromProject", flag("keep names and addresses; people stay pseudonyms")),
    providers: file("serve this provider catalogue (JSON)"),
    faults: file("inject the faults of this script (JSON; see docs/sandbox.md)"),
    timeScale: withDefault(
      integer("speed up retries by this factor, up to 1000000", { min: 1, max: 1_000_000 }),
      "1",
    ),
    deliverToAnyHost: flag("also deliver to webhooks on other machines"),
    open: flag("open the page of events in the browser; not in CI"),
    specOnly: flag("serve only the operations and rules of the specification"),
  },
  printsJson: true,
  takes: ["profile", "baseUrl"],
  examples: [
    "amp sandbox start",
    "amp sandbox start --port 0 --state sandbox.json",
    { run: "amp sandbox start --time-scale 1000", note: "the first retry after 5 ms" },
    "amp sandbox start --from-project acme --profile prod",
  ],
  exits: {
    "not-found": "project not found",
    auth: "authentication or permission",
    conflict: "the port is in use",
    service: "service or network failure",
  },
  run: async (context) => {
    const { options, output, signal, report, files, environment, settings, write, now } = context;
    const { fromProject } = options;
    const twin = fromProject && (await import("./from-project.ts"));
    const world = twin
      ? await twin.seedOfProject(context, { ...options, fromProject })
      : options.world && (await files.read(options.world));
    const { runSandbox } = await import("../../sandbox/run.ts");
    await runSandbox({
      ...options,
      links: await linksAmong(options, files),
      cwd: environment.cwd,
      token: settings.get("sandboxToken")?.value,
      tokenFile: (port) => sandboxTokenFile(environment.stateFolder, port),
      world,
      providers: options.providers && (await files.read(options.providers)),
      faults: options.faults && (await files.read(options.faults)),
      signal,
      now,
      ready: async (facts) => {
        await write(`${output.format() === "json" ? JSON.stringify(facts) : facts.url}\n`);
        const { url, apiKey, project, port } = facts;
        if (isOpen(options.host)) {
          report.warn(
            `The sandbox is open to the network: anyone who can reach port ${port} can use it, because its API key is public.`,
          );
        }
        // The built-in profile knows only the default port.
        const baseUrl = port === SANDBOX_DEFAULTS.port ? undefined : url;
        const others = project === SANDBOX_DEFAULTS.project ? undefined : project;
        report.notice(
          `Project ${project}, key ${apiKey}. In another terminal:`,
          suggest("installations list", [], { profile: "sandbox", baseUrl, project: others }),
        );
        report.notice(`Page: ${facts.page}`);
        if (!options.open || environment.ci) return;
        const { openPage } = await import("../../sandbox/open-page.ts");
        const path = `${sandboxTokenFile(environment.stateFolder, port)}.html`;
        await openPage(facts.page, path, () => report.warn("The page could not be opened."));
      },
      onRequest: (request) => {
        const { method, path, status, ms } = request;
        if (isPoll(request)) return;
        report.notice(`${method} ${path} ${status} ${Math.round(ms)} ms`);
      },
      onRemark: (remark) => report.warn(remark),
      onAttempt: (attempt) => report.notice(attemptText(attempt)),
      onFault: ({ method, path, fault }) => report.notice(`${method} ${path}: fault ${fault}`),
    });
  },
});

/** The options whose files were reached by a link, itself or a folder on the way. */
async function linksAmong(
  options: Readonly<Record<string, unknown>>,
  files: { readonly realPath: (path: string) => Promise<string> },
): Promise<ReadonlySet<string>> {
  const root = await files.realPath(".");
  const links = ["world", "providers", "faults", "state"].map(async (name) => {
    const { [name]: path } = options;
    if (typeof path !== "string" || path === "-") return [];
    const real = await files.realPath(path).catch(() => undefined);
    return real === undefined || real === resolve(root, path) ? [] : [name];
  });
  return new Set((await Promise.all(links)).flat());
}

/** Whether a request is one of those by which `deliveries --follow` asks for more. */
function isPoll({
  method,
  path,
  status,
}: Pick<RequestLine, "method" | "path" | "status">): boolean {
  return method === "GET" && status === 200 && /\/deliveries\?(?:.*&)?after=/u.test(path);
}

function isOpen(host: string): boolean {
  return !isLoopback(host.includes(":") ? `[${host}]` : host);
}
