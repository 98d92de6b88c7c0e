import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { breaches } from "./check.ts";
import { importsOf } from "./imports.ts";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts"));

describe("the law of imports", () => {
  it("has no breach in src", () => {
    const found = files.flatMap((path) => breaches(path, readFileSync(SRC + path, "utf8")));
    expect(found).toEqual([]);
  });

  it("covers the whole source", () => {
    expect(files.length).toBeGreaterThan(100);
  });
});

/** A file, what it must not say, and what is said about that. */
const BREACHES: readonly (readonly [path: string, text: string, breach: string])[] = [
  // Commands know the domain and their own shape, and nothing of how they are run.
  ["commands/apps/get.ts", 'import { renderPage } from "../../ui/page.ts";', "import ui/page.ts"],
  ["commands/apps/get.ts", 'import ky from "ky";', "import ky"],
  ["commands/apps/get.ts", 'import { Command } from "commander";', "import commander"],
  ["commands/apps/get.ts", 'import chalk from "chalk";', "import chalk"],
  ["commands/apps/get.ts", 'import "../../account/files.ts";', "import account/files.ts"],
  ["commands/apps/get.ts", 'import list from "./list.ts";', "import commands/apps/list.ts"],
  ["commands/apps/get.ts", 'const l = import("./list.ts");', "lazily commands/apps/list.ts"],
  ["commands/apps/get.ts", 'import { routes } from "../routes.ts";', "import commands/routes.ts"],
  [
    "commands/apps/get.ts",
    'import type { Node } from "../../cli/tree.ts";',
    "types of cli/tree.ts",
  ],
  ["commands/apps/get.ts", 'import { stubOf } from "../../cli/completion/stubs.ts";', "cli/compl"],
  ["commands/apps/get.ts", 'import { readFileSync } from "node:fs";', "import node:fs"],
  ["commands/apps/get.ts", 'import "../../context/context.ts";', "import context/context.ts"],
  ["commands/sandbox/start.ts", 'import { serve } from "../../sandbox/serve.ts";', "sandbox/serve"],
  [
    "commands/completion.ts",
    'import { stubOf } from "../cli/completion/stubs.ts";',
    "completion/stubs",
  ],
  ["commands/routes.ts", 'import list from "./apps/list.ts";', "import commands/apps/list.ts"],
  // The domains know the service, and nobody above them.
  ["notify/apply.ts", 'import { table } from "../cli/define.ts";', "import cli/define.ts"],
  ["notify/apply.ts", 'import type { Io } from "../io.ts";', "the types of io.ts"],
  ["inspect/apps.ts", 'import { display } from "../ui/text.ts";', "import ui/text.ts"],
  ["inspect/apps.ts", 'import { paths } from "../account/files.ts";', "import account/files.ts"],
  [
    "account/login/login.ts",
    'import { createContext } from "../../context/context.ts";',
    "import context/context.ts",
  ],
  ["inspect/apps.ts", 'import { wait } from "../documents/inspect.ts";', "documents/inspect.ts"],
  ["notify/apply.ts", 'const d = import("../documents/routing.ts");', "documents/routing.ts"],
  ["notify/apply.ts", 'import { setup } from "../commands/notify/setup.ts";', "commands/notify"],
  [
    "sandbox/app.ts",
    'import { listTopics } from "../api/operations/endpoints.ts";',
    "endpoints.ts",
  ],
  [
    "sandbox/app.ts",
    'import { createReporter } from "../cli/live-output.ts";',
    "import cli/live-output.ts",
  ],
  // The page knows neither of those who serve it.
  ["page/client/main.ts", 'import "../../sandbox/world.ts";', "import sandbox/world.ts"],
  ["page/model.ts", 'import type { A } from "../case/case-file.ts";', "types of case/case-file.ts"],
  // Inside api and notify a folder knows only those before it.
  ["api/request/retry.ts", 'import { a } from "../client/client.ts";', "api/client/client.ts"],
  [
    "api/schemas/project.ts",
    'import { a } from "../operations/poll.ts";',
    "api/operations/poll.ts",
  ],
  ["notify/model/address.ts", 'import { a } from "../state/state.ts";', "notify/state/state.ts"],
  ["notify/state/edit.ts", 'import { a } from "../plan/plan.ts";', "notify/plan/plan.ts"],
  ["notify/engine/run.ts", 'import { a } from "../pages/plan.ts";', "notify/pages/plan.ts"],
  ["notify/pages/plan.ts", 'import { a } from "../setup/setup.ts";', "notify/setup/setup.ts"],
  // The machinery.
  [
    "cli/execute.ts",
    'import { createContext } from "../context/context.ts";',
    "import context/context.ts",
  ],
  [
    "cli/execute.ts",
    'import { listTopics } from "../api/operations/endpoints.ts";',
    "endpoints.ts",
  ],
  ["cli/execute.ts", 'import { paths } from "../account/files.ts";', "import account/files.ts"],
  ["cli/execute.ts", 'import { processIo } from "../io.ts";', "import io.ts"],
  ["cli/tree.ts", 'const l = await import("../commands/apps/list.ts");', "commands/apps/list"],
  [
    "context/context.ts",
    'import { createClient } from "../api/client/client.ts";',
    "client/client.ts",
  ],
  ["context/context.ts", 'import { routes } from "../commands/routes.ts";', "commands/routes.ts"],
  ["api/client/client.ts", 'import type { Io } from "../../io.ts";', "the types of io.ts"],
  [
    "api/client/client.ts",
    'import { plan } from "../../notify/apply.ts";',
    "import notify/apply.ts",
  ],
  [
    "ui/table.ts",
    'import type { Api } from "../api/operations/endpoint.ts";',
    "the types of api/operations/endpoint.ts",
  ],
  ["ui/table.ts", 'import { record } from "../cli/define.ts";', "import cli/define.ts"],
  ["ui/table.ts", 'import chalk from "chalk";', "import chalk"],
  ["ui/table.ts", 'import { select } from "@inquirer/prompts";', "import @inquirer/prompts"],
  [
    "account/files.ts",
    'import type { Context } from "../context/context.ts";',
    "types of context/context.ts",
  ],
  ["durable/lock.ts", 'import { paths } from "../account/files.ts";', "import account/files.ts"],
  ["io.ts", 'import { display } from "./ui/text.ts";', "import ui/text.ts"],
  ["errors.ts", 'import { SETTINGS } from "./settings.ts";', "import settings.ts"],
  ["settings.ts", 'import type { Param } from "./cli/param.ts";', "types of cli/param.ts"],
  ["helpers/new.ts", 'import { EXIT } from "../errors.ts";', "import errors.ts"],
  // Every way to write an import.
  [
    "ui/table.ts",
    'export * from "../api/operations/endpoint.ts";',
    "import api/operations/endpoint.ts",
  ],
  [
    "ui/table.ts",
    'export type { Api } from "../api/operations/endpoint.ts";',
    "the types of api/operations/endpoint.ts",
  ],
  [
    "ui/table.ts",
    'import {\n  a,\n  b,\n} from "../api/operations/endpoint.ts";',
    "import api/operations/endpoint.ts",
  ],
  [
    "ui/table.ts",
    'type A = import("../api/operations/endpoint.ts").Api;',
    "the types of api/operations/endpoint.ts",
  ],
  ["ui/table.ts", 'import { type Cell } from "../cli/define.ts";', "import cli/define.ts"],
  [
    "ui/table.ts",
    'const a = require("../api/operations/endpoint.ts");',
    "import api/operations/endpoint.ts",
  ],
  // Globals.
  ["commands/apps/get.ts", "export const a = process.env;", "use process.env"],
  ["cli/execute.ts", "process.exitCode = 1;", "use process.exitCode"],
  ["main.ts", "process.exit(1);", "use process.exit"],
  ["main.ts", "const { exit } = process;", "use process"],
  ["io.ts", "process.exit();", "use process.exit"],
  ["io.ts", "globalThis.process?.exit();", "use process.exit"],
  ["durable/owner.ts", "export const a = process.env;", "use process.env"],
  ["cli/live-output.ts", "console.log(1);", "use console.log"],
  ["io.ts", 'import process from "node:process";', "import node:process"],
  // Contexts.
  ["account/login/login.ts", "export const a = (context) => ({ ...context, b: 1 });", "derived()"],
  ["cli/execute.ts", "export const a = (io) => Object.create(io, {});", "derived()"],
  // The shape of a file.
  ["cli/live-output.ts", `${"\n".repeat(500)}export const a = 1;`, "more than 500 lines"],
  ["cli/live-output.ts", "// TODO: later", "something to be done"],
];

describe("a breach of the law is seen", () => {
  it.each(BREACHES)("in %s: %j", (path, text, breach) => {
    expect(breaches(path, text)).toEqual([expect.stringContaining(breach)]);
  });
});

/** What looks like a breach, and is none. */
const KEPT: readonly (readonly [path: string, text: string])[] = [
  ["commands/sandbox/start.ts", 'await import("../../sandbox/run.ts");'],
  ["commands/completion.ts", 'await import("../cli/completion/stubs.ts");'],
  ["commands/commands.ts", 'import type { Node } from "../cli/tree.ts";'],
  ["commands/routes.ts", 'export const l = () => import("./apps/list.ts");'],
  ["commands/apps/get.ts", '// import ky from "ky";\nexport const a = "import \\"ky\\"";'],
  ["notify/apply.ts", 'import type { Prompter } from "../context/context.ts";'],
  ["cli/execute.ts", 'import type { Api } from "../api/operations/endpoint.ts";'],
  ["notify/apply.ts", 'import type { Receipt } from "../documents/routing.ts";'],
  ["ui/table.ts", 'import type { Cell } from "../view/view.ts";'],
  ["cli/live-output.ts", "export const a = (process: { env: string }) => process.env;"],
  ["cli/live-output.ts", "export const a = { console: 1 }.console; // process.exit()"],
  ["account/login/login.ts", "export const a = (context) => ({ ...context.options, b: 1 });"],
  ["account/login/login.ts", "export const a = Object.create(null);"],
  ["cli/live-output.ts", `${"\n".repeat(499)}export const a = 1;\n`],
];

describe("a file that keeps the law is left alone", () => {
  it.each(KEPT)("in %s: %j", (path, text) => {
    expect(breaches(path, text)).toEqual([]);
  });
});

it("distinguishes the three ways to import", () => {
  const text = `
    import { a } from "./a.ts";
import type { B } from "./b.ts";
import type C from "../c.ts";
export type { D } from "./d.ts";
export const e = () => import("./e.ts");
export const f: import("./f.ts").F = a;
import type { A } from "./a.ts";
`;
  expect(importsOf("x/y.ts", text)).toEqual([
    { kind: "value", target: "x/a.ts" },
    { kind: "lazy", target: "x/e.ts" },
    { kind: "type", target: "x/b.ts" },
    { kind: "type", target: "c.ts" },
    { kind: "type", target: "x/d.ts" },
    { kind: "type", target: "x/f.ts" },
  ]);
});
