import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SIGNED_REQUEST, SIGNING_SECRET } from "../commands/invocations.ts";
import { SANDBOX_API_KEY } from "../platform.ts";
import { ROOT, startAmp } from "./program.ts";
import { type StockMachine, stockMachine } from "./stock-image.ts";

const text = (page: string) => readFileSync(join(ROOT, page), "utf8");

/** The shell lines of a page; one that was folded is whole. */
function blocksOf(page: string): string[][] {
  return [...text(page).matchAll(/^```sh\n(.*?)^```/gmsu)].map(([, block = ""]) =>
    block.replaceAll("\\\n", " ").trim().split("\n"),
  );
}

/** The pages that people write; the cookbooks have a test of their own, and the reference examples. */
const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`),
].filter(
  (page) => page.endsWith(".md") && page !== "docs/reference.md" && blocksOf(page).length > 0,
);

/** The lines that cannot run here, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "npm ci && npm run build:standalone":
    "asks a registry, and compiles for minutes: npm run test:standalone does",
  "age -R": "a stock image has no age: test/case/send.test.ts seals and opens in its format",
  "age -d": "as age -R",
  cosign: "asks sigstore, and only a published release is signed",
  "amp trigger --from msg_": "the ID is one of the reader's own deliveries",
  "amp notify apply -f ~/.local/state":
    "the file is there only after a crash: test/e2e/unfinished.test.ts",
  "amp webhooks verify messages.ndjson": "amp listen --save wrote it: test/events/listen",
  "amp notify state resolve": "needs an unknown outcome: test/faults makes some",
};

/** What somebody at the keyboard would answer, or has in place of what the page names. */
const INSTEAD: readonly (readonly [line: RegExp, from: RegExp, to: string])[] = [
  [/./u, /https:\/\/(?:api|read)\.example\.com\/v1/gu, "$AMP_URL"],
  [/./u, /--state (?:gitlab|'s3:[^']*')/u, "--state state.json"],
  [
    /^amp auth login$/u,
    /$/u,
    " --profile me --base-url $AMP_URL --api-key-file key.txt --project acme",
  ],
  [/^amp notify (?:apply|undo)|protect .*--off|^amp notify routes delete/u, /(?= +#|$)/u, " --yes"],
  [/^amp notify apply {2}/u, /apply/u, "apply -f routing.yaml"],
  [/ r12/u, / r12/u, ""],
  [/^export CI/u, /http:\S+/u, "$AMP_URL"],
  [/^sha256sum/u, /^/u, "cd dist/standalone; "],
  [/--from-project/u, / --profile production/u, ""],
  // It serves until it is stopped.
  [/ --web /u, /^/u, "timeout -s INT 5 "],
  // A receiver is not part of the sandbox.
  [/^amp webhooks test http/u, /(?= +#|$)/u, " --list"],
  [/^amp sandbox start|amp listen/u, /(?= +#|$)/u, " --port 0"],
  // What is followed has no end of its own.
  [/^amp sandbox start|amp listen|--follow/u, /amp (?=sandbox|listen)/u, "timeout -s INT 4 amp "],
];

/** What a reader has by then: the files that the pages name. */
function prepare({ folder }: StockMachine): void {
  const [, routing = ""] = /^```yaml\n(.*?)^```/msu.exec(text("README.md")) ?? [];
  const destination = /^ {2}([\w-]+):/mu.exec(routing)?.[1] ?? "";
  const cases = `cases: [{ when: connection.error, then: [{ misses: ${destination} }] }]`;
  const [head = "", body = ""] = SIGNED_REQUEST.split(/\r?\n\r?\n/u);
  const files = {
    "routing.yaml": routing,
    "routing/ops.yaml": routing,
    "routing/data.yaml":
      "version: 1\nname: data\ntopics: { data: { events: [connection.error] } }\n",
    "cases.yaml": cases,
    ".amp.yaml": "project: acme\n",
    "key.txt": SANDBOX_API_KEY,
    "routing.test.yaml": cases,
    "secret.txt": SIGNING_SECRET,
    "request.http": SIGNED_REQUEST,
    "headers.txt": head.split(/\r?\n/u).slice(1).join("\n"),
    "body.bin": body,
  };
  for (const made of ["cases", "routing", ".ssh", ".config/fish/completions"])
    mkdirSync(join(folder, made), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, "cases/one.yaml"), cases);
  const key = join(folder, ".ssh/id_ed25519");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const [kind, half] = readFileSync(`${key}.pub`, "utf8").split(" ");
  writeFileSync(join(folder, "allowed_signers"), `support@acme.example ${kind} ${half}\n`);
}

/** What came before on the pages. */
const BEFORE: Readonly<Record<string, string>> = {
  "docs/credentials.md":
    "amp auth login --profile audit --base-url $AMP_URL --api-key-file key.txt --project acme",
  "docs/routing.md":
    "amp notify destinations create --name ops --type webhook --url https://hooks.acme.com/amp; amp notify topics create lifecycle; amp notify routes create --topic lifecycle --destination ops",
  "docs/state.md": "amp notify apply -f routing.yaml --yes",
};

/** The sandbox that a page starts, where it is not the usual one. */
const SANDBOX: Readonly<Record<string, readonly string[]>> = {
  "docs/tickets.md": ["--installations", "64"],
};

/** How a line ends: what is interrupted says so. */
const endOf = (line: string) => (line.includes("timeout -s INT") ? [0, 124, 130] : [0]);

describe.each(PAGES)("%s", (page) => {
  it("has shell lines that run on a stock image, installation included", {
    timeout: 900_000,
  }, async () => {
    const url = await startAmp([
      ...["sandbox", "start", "--port", "0", "--quiet"],
      ...(SANDBOX[page] ?? []),
    ]).firstLine();
    const machine = stockMachine(url);
    prepare(machine);
    const env = {
      AMP_URL: url,
      KEY: SANDBOX_API_KEY,
      WEBHOOK_SECRET: SIGNING_SECRET,
      AMP_COMMIT_HORIZON: "1s",
    };
    if (page !== "README.md") {
      expect(machine.run("sh dist/standalone/install.sh", env)).toMatchObject({ status: 0 });
    }
    const path = 'export PATH="$HOME/.local/bin:$PATH"\n';
    expect(machine.run(path + (BEFORE[page] ?? ""), env)).toMatchObject({ status: 0 });
    for (const block of blocksOf(page)) {
      let kept = path;
      for (const line of block) {
        if (Object.keys(NOT_RUN).some((start) => line.startsWith(start))) continue;
        const typed = INSTEAD.reduce(
          (now, [of, from, to]) => (of.test(line) ? now.replace(from, to) : now),
          line,
        );
        const { status, stderr } = machine.run(kept + typed, env);
        expect.soft(endOf(typed), `${typed}\n${status}\n${stderr}`).toContain(status);
        if (/^(?:export |[A-Z_]+=\$\([^)]*\)$)/u.test(line)) kept += `${typed}\n`;
      }
    }
  });
});

it("leaves out only lines that the pages have", () => {
  const lines = PAGES.flatMap((page) => blocksOf(page).flat());
  for (const start of Object.keys(NOT_RUN))
    expect(
      lines.some((line) => line.startsWith(start)),
      start,
    ).toBe(true);
});
