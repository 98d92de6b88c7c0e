import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Endpoint } from "../../../src/api/operations/endpoint.ts";
import * as endpoints from "../../../src/api/operations/endpoints.ts";
import { AmpError, EXIT, UnknownOutcomeError } from "../../../src/errors.ts";
import { isNamed } from "../../../src/notify/find-resource.ts";
import { type Address, addressParts } from "../../../src/notify/model/address.ts";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { withJournal } from "../../../src/notify/state/format.ts";
import { compileCache } from "../../built.ts";
import { type Running, startAmp } from "../../faults/process.ts";
import { createSandbox, MAIN_PROJECT, SANDBOX_API_KEY } from "../../platform.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { UNROUTED } from "../../unrouted.ts";
import type { EngineWorld } from "./engine-world.ts";
import type { Done, End, Failed, Runner } from "./runner.ts";
import { createClock } from "./simulated-clock.ts";
import { emptyDisk, type ProcessFate } from "./simulated-process.ts";
import { type ServiceOptions, SimulatedService } from "./simulated-service.ts";
import type { SingleCommand } from "./singles.ts";

const VIRTUAL_TIME = fileURLToPath(new URL("virtual-time.cjs", import.meta.url));
/** A process in memory has so many steps for each request, or answer, of the program. */
const STEPS = 3;

/** Runs the built program, each time as a process of its own, in the same worlds as the engine. */
export class Programs implements Runner {
  readonly #program: string | undefined;
  readonly #folder = temporaryFolder();
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  readonly #sandbox = createSandbox({ state: UNROUTED });
  #world: EngineWorld | undefined;
  #worlds = 0;
  #running: Running | undefined;
  /** Sleeps of the program, and its requests: time passes for both. */
  #waiting = 0;
  /** The step at which the program is killed, and how many it has done. */
  #crashAt: number | undefined;
  #steps = 0;
  #isKilled = false;

  /** @param program by default the one that the tests are run for */
  constructor(program?: string) {
    this.#program = program;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  newWorld(options: Partial<ServiceOptions>): EngineWorld {
    this.#worlds += 1;
    mkdirSync(join(this.#folder, `${this.#worlds}`));
    const clock = createClock({
      isHeld: () => this.#running !== undefined && this.#waiting === 0,
      onTime: (time) => this.#showTime(time),
    });
    this.#showTime(clock.elapsed());
    this.#world = { clock, service: new SimulatedService(clock, options), disk: this.#disk() };
    return this.#world;
  }

  async apply(
    _: EngineWorld,
    { model, prune, accept }: Parameters<Runner["apply"]>[1],
    { crashAt }: Parameters<Runner["apply"]>[2],
  ): Promise<End> {
    writeFileSync(this.#path("routing.yaml"), textOf(model));
    const words = [
      ...["notify", "apply", "-f", "routing.yaml"],
      ...(prune && model.name !== undefined ? ["--prune"] : []),
      ...(accept.length > 0 ? ["--accept", accept.join(",")] : []),
    ];
    return this.#run(words, crashAt);
  }

  undo(_: EngineWorld, id: string, { crashAt }: Parameters<Runner["undo"]>[2]): Promise<End> {
    return this.#run(["notify", "undo", id], crashAt);
  }

  single(_: EngineWorld, command: SingleCommand, { crashAt }: ProcessFate): Promise<End> {
    return this.#run(wordsOf(command), crashAt);
  }

  setUp(_: EngineWorld, model: RoutingModel, { crashAt }: ProcessFate): Promise<End> {
    const [[destination, part] = []] = model.destinations;
    const [[topic = "", { events = [] } = {}] = []] = model.topics;
    const { url } = (part?.kind === "new" && part.metadata) as { readonly url: string };
    const words = [
      ...["notify", "setup", "--destination-name", `${destination}`],
      ...["--destination-type", "webhook", "--url", url],
      ...["--topic", topic, "--event", events.join(",")],
    ];
    return this.#run(words, crashAt);
  }

  async #run(words: readonly string[], crashAt?: number): Promise<End> {
    this.#crashAt = crashAt === undefined ? undefined : Math.ceil(crashAt / STEPS);
    const { code, stdout, stderr } = await this.#amp([...words, "--yes", "--json"]);
    if (code === null && this.#isKilled) return "killed";
    const isDone = code === EXIT.ok.code || code === EXIT.check.code;
    const [said = ""] = stderr.split(/^\{/mu);
    const told = [...said.matchAll(/state import \S+ (\S+)/gu)].flatMap(([, id]) => id ?? []);
    if (isDone) return { told, done: this.#doneOf(JSON.parse(stdout), code === EXIT.ok.code) };
    const exit = Object.entries(EXIT).find(([, row]) => row.code === code)?.[0] ?? `${code}`;
    if (["unexpected", "usage", "null"].includes(exit)) {
      throw new Error(`amp ${words.join(" ")} ends with ${exit}: ${stderr}`);
    }
    const { error } = JSON.parse(stderr.slice(stderr.search(/^\{/mu))) as { error: JsonError };
    const { message, detail, unknown = [] } = error;
    return { told, failed: { exit, text: [message, detail].filter(Boolean).join(": "), unknown } };
  }

  #doneOf({ kept = [] }: JsonReceipt, isUndone: boolean): Done {
    return {
      kept: kept.map(({ id }) => id),
      isUndone,
      notKept: async () => {
        const words = ["notify", "plan", "-f", "routing.yaml", "--all", "--json"];
        const { stdout } = await this.#amp(words);
        const { items } = JSON.parse(stdout) as { items: readonly JsonItem[] };
        return items.flatMap(({ address, notKept }) => (notKept ? address : []));
      },
    };
  }

  async #amp(args: readonly string[]) {
    this.#steps = 0;
    this.#isKilled = false;
    const { port } = this.#server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const env = {
      HOME: this.#folder,
      TMPDIR: this.#folder,
      NODE_COMPILE_CACHE: compileCache(),
      NODE_OPTIONS: `--require=${VIRTUAL_TIME}`,
      AMP_TEST_TIME: this.#path("time"),
      AMP_TEST_SLEEP: `${url}/sleep`,
      AMP_CONFIG_DIR: join(this.#folder, "config"),
      AMP_BASE_URL: `${url}/v1`,
      AMP_API_KEY: SANDBOX_API_KEY,
      AMP_PROJECT: MAIN_PROJECT,
      AMP_STATE: this.#path("state.json"),
      AMP_TIMEOUT: "30s",
      AMP_NO_INPUT: "1",
    };
    const program = this.#program;
    this.#running = startAmp({ args, cwd: this.#path(""), env, ...(program && { program }) });
    try {
      return await this.#running.ended;
    } finally {
      this.#running = undefined;
    }
  }

  #path(name: string): string {
    return join(this.#folder, `${this.#worlds}`, name);
  }

  #showTime(time: number): void {
    writeFileSync(this.#path("time.new"), String(time));
    renameSync(this.#path("time.new"), this.#path("time"));
  }

  #disk(): EngineWorld["disk"] {
    const read = (name: string) => {
      try {
        return readFileSync(this.#path(name), "utf8");
      } catch {
        return undefined;
      }
    };
    return Object.defineProperty(emptyDisk(), "text", {
      get: () => {
        const [text, journal] = [read("state.json"), read(".amp-admin/state.json/journal")];
        return text !== undefined && journal !== undefined ? withJournal(text, journal) : text;
      },
      set: (text: string) => writeFileSync(this.#path("state.json"), text),
    });
  }

  /** Whether the program is killed now: nobody hears an answer. */
  #isCrashed(): boolean {
    this.#steps += 1;
    if (this.#steps === this.#crashAt) {
      this.#isKilled = true;
      this.#running?.signal("SIGKILL");
    }
    return this.#isKilled;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    this.#waiting += 1;
    try {
      if (pathname === "/sleep") {
        await this.#world?.clock.sleep(Number(searchParams.get("ms")), gone.signal).catch(() => {});
        response.end();
        return;
      }
      const body = (await textOfRequest(request)) || undefined;
      if (this.#isCrashed()) return;
      const answer = await this.#answer(request.method ?? "", pathname, body);
      if (this.#isCrashed() || answer === undefined) request.socket.destroy();
      else this.#send(response, answer);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** The answer of the service; undefined: the connection is lost. */
  async #answer(method: string, path: string, body: string | undefined) {
    const { service } = this.#world as EngineWorld;
    const [, , , , collection = "", id] = path.split("/");
    const endpoint = ROUTING.find(
      (one) =>
        one.method === method &&
        one.path.split("/")[3] === collection &&
        one.path.split("/").length === (id === undefined ? 4 : 5),
    );
    if (endpoint === undefined) {
      const headers = { "x-api-key": SANDBOX_API_KEY };
      const asked = new Request(`http://localhost${path}`, { method, headers });
      const answer = await this.#sandbox.fetch(asked);
      return { status: answer.status, body: await answer.text() };
    }
    const input = { path: { id }, ...(body && { body: JSON.parse(body) }) };
    try {
      const result = await service.api().call(endpoint as never, input as never);
      const status = method === "POST" ? 201 : result === undefined ? 204 : 200;
      return { status, body: result === undefined ? "" : JSON.stringify(result) };
    } catch (error) {
      if (error instanceof UnknownOutcomeError) return undefined;
      if (!(error instanceof AmpError)) throw error;
      const status = error.facts.status ?? (method === "GET" ? 404 : 405);
      return { status, body: JSON.stringify({ title: error.message }) };
    }
  }

  #send(
    response: ServerResponse,
    { status, body }: { readonly status: number; readonly body: string },
  ): void {
    const { service, clock } = this.#world as EngineWorld;
    const { dates } = service.options;
    response.sendDate = false;
    const date = dates && { date: new Date(clock.elapsed() + dates()).toUTCString() };
    response.writeHead(status, { "content-type": "application/json", ...date });
    response.end(body);
  }
}

/** The parts of the program's JSON that are read here. */
interface JsonReceipt {
  readonly kept?: readonly { readonly id: string }[];
}
interface JsonItem {
  readonly address: Address;
  readonly notKept?: unknown;
}
interface JsonError {
  readonly message: string;
  readonly detail?: string;
  readonly unknown?: Failed["unknown"];
}

const COLLECTIONS =
  /^\/projects\/\{\w+\}\/(?:destinations|topics|notification-event-topic-routes|topic-destination-routes)(?:\/\{\w+\})?$/u;

/** The operations that the simulated service has. */
const ROUTING = (Object.values(endpoints) as unknown[]).filter(
  (one): one is Endpoint =>
    typeof one === "object" && one !== null && "path" in one && COLLECTIONS.test(String(one.path)),
);

/** The words of a single command. */
function wordsOf({ op, address, url, name, references, id = "" }: SingleCommand): string[] {
  if (op === "forget") return ["notify", "state", "forget", address];
  if (op === "import") return ["notify", "state", "import", address, id];
  const { kind, names } = addressParts(address);
  const [first = "", second = ""] = names;
  const accepted = op === "delete" && references && isNamed(kind) ? ["--accept", "references"] : [];
  const renamed = op === "update" && name !== undefined ? ["--name", name] : [];
  switch (kind) {
    case "destination": {
      const own = op === "create" ? ["--name", first, "--type", "webhook"] : [first];
      const content = op === "delete" ? [] : ["--url", url];
      return ["notify", "destinations", op, ...own, ...content, ...renamed, ...accepted];
    }
    case "topic":
      if (op === "update") return ["notify", "topics", op, first, "--name", name ?? first];
      return ["notify", "topics", op, first, ...accepted];
    default: {
      const end = kind === "event-route" ? "--event" : "--destination";
      return ["notify", "routes", op, "--topic", first, end, second];
    }
  }
}

async function textOfRequest(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/** A routing file: JSON is YAML. */
function textOf({ name, destinations, topics }: RoutingModel): string {
  const renamed = (part: object) =>
    "renamedFrom" in part ? { "renamed-from": part.renamedFrom } : {};
  return JSON.stringify({
    version: 1,
    ...(name !== undefined && { name }),
    destinations: Object.fromEntries(
      [...destinations].map(([own, part]) => [
        own,
        part.kind === "new"
          ? { type: part.type, metadata: part.metadata, ...renamed(part) }
          : { id: part.id },
      ]),
    ),
    topics: Object.fromEntries(
      [...topics].map(([own, part]) => [
        own,
        { events: part.events, destinations: part.destinations, ...renamed(part) },
      ]),
    ),
  });
}
