import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packCase, unpackCase } from "../../src/case/case-file.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { ROOT } from "../built.ts";
import { NOW, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The format of age, also where its program is not installed. */
const PACKAGE = "age-encryption" as string;

const page = readFileSync(join(ROOT, "docs/cases.md"), "utf8");
/** The lines of the page that begin with or pipe to a program. */
const linesWith = (program: RegExp) => page.split("\n").filter((line) => program.test(line));
const [sign = "", check = ""] = linesWith(/ \| ssh-keygen -Y /u);
const [seal = "", open = ""] = linesWith(/^age -/u);

const sender = temporaryFolder();
const reader = temporaryFolder();
const has = (program: string) => spawnSync(program, ["--version"]).error === undefined;

/** Runs a line of the page in a home of its own, with the amp of this checkout. */
function shell(line: string, home: string) {
  const env = { PATH: [join(home, "bin"), process.env.PATH].join(delimiter), HOME: home };
  return spawnSync("/bin/sh", ["-c", line], { cwd: home, env, encoding: "utf8" });
}

beforeAll(async () => {
  const sandbox = sandboxAt(NOW, { state: largeWorld(20) });
  await run(["case", "create", "bluth", "--save", "bluth.ampcase"], { sandbox, cwd: sender });
  for (const home of [sender, reader]) {
    mkdirSync(join(home, "bin"));
    mkdirSync(join(home, ".ssh"), { mode: 0o700 });
    mkdirSync(join(home, ".age"));
    const amp = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "src/main.ts")}" "$@"\n`;
    writeFileSync(join(home, "bin/amp"), amp, { mode: 0o755 });
  }
});

const send = (...files: readonly string[]) => {
  for (const file of files) writeFileSync(join(reader, file), readFileSync(join(sender, file)));
};

describe.skipIf(!has("ssh-keygen"))("a case that is signed as docs/cases.md says", () => {
  beforeAll(() => {
    const key = join(sender, ".ssh/id_ed25519");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const signed = shell(sign, sender);
    expect(signed.status, signed.stderr).toBe(0);
    send("bluth.ampcase", "bluth.ampcase.sig");
    const known = `support@acme.example ${readFileSync(`${key}.pub`, "utf8")}`;
    writeFileSync(join(reader, "allowed_signers"), known);
  });

  it("is checked by the reader, on another home folder", () => {
    const { status, stdout } = shell(check, reader);
    expect(stdout).toContain('Good "amp-case" signature for support@acme.example');
    expect(status).toBe(0);
  });

  it.each([
    [
      "the verdict",
      (file: ReturnType<typeof unpackCase>) => ({
        ...file,
        verdict: { ...file.verdict, headline: "All is well" },
      }),
    ],
    [
      "an answer",
      (file: ReturnType<typeof unpackCase>) => ({ ...file, answers: file.answers.slice(1) }),
    ],
    ["a redaction", (file: ReturnType<typeof unpackCase>) => ({ ...file, redactions: [] })],
    ["the customer", (file: ReturnType<typeof unpackCase>) => ({ ...file, who: "another" })],
  ])("is refused once somebody has changed %s", (_, change) => {
    const path = join(reader, "bluth.ampcase");
    const bytes = readFileSync(path);
    writeFileSync(path, packCase(change(unpackCase(bytes, path))));
    const { status } = shell(check, reader);
    writeFileSync(path, bytes);
    expect(status).not.toBe(0);
  });
});

describe("the manifest of a case", () => {
  it("has a hash of each response, and the place and kind of each redaction", async () => {
    const { stdout } = await run(["case", "show", "bluth.ampcase", "--manifest"], { cwd: sender });
    const file = unpackCase(readFileSync(join(sender, "bluth.ampcase")), "bluth.ampcase");
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("amp-case/1 manifest");
    const answers = lines.filter((line) => /^answer sha256:[\da-f]{64} \d{3} GET \//u.test(line));
    expect(answers).toHaveLength(file.answers.length);
    const redacted = lines.filter((line) => line.startsWith("redacted "));
    expect(redacted).toEqual(
      file.redactions.map(({ where, kind }) => `redacted "${kind}" ${JSON.stringify(where)}`),
    );
    expect(lines.filter((line) => line.startsWith("verdict sha256:"))).toHaveLength(1);
  });

  it("is the same on a terminal and in a pipe", async () => {
    const argv = ["case", "show", "bluth.ampcase", "--manifest"];
    const [piped, shown] = [
      await run(argv, { cwd: sender }),
      await run(argv, { cwd: sender, tty: true, columns: 60 }),
    ];
    expect(shown.stdout).toBe(piped.stdout);
  });
});

describe("a case that is sealed as docs/cases.md says", () => {
  it.skipIf(!has("age") || !has("age-keygen"))("is opened by the reader with age", () => {
    const made = shell("age-keygen -o ~/.age/key.txt && age-keygen -y ~/.age/key.txt", reader);
    writeFileSync(join(sender, "reader-keys.txt"), made.stdout);
    const before = readFileSync(join(sender, "bluth.ampcase"));
    expect(shell(seal, sender).status).toBe(0);
    send("bluth.ampcase.age");
    expect(shell(open, reader).status).toBe(0);
    expect(readFileSync(join(reader, "bluth.ampcase"))).toEqual(before);
  });

  it("is a case again in the format of age", async () => {
    expect([seal, open].map((line) => line.split(" ").slice(0, 2))).toEqual([
      ["age", "-R"],
      ["age", "-d"],
    ]);
    const age = await import(PACKAGE);
    const key = await age.generateX25519Identity();
    const encrypter = new age.Encrypter();
    encrypter.addRecipient(await age.identityToRecipient(key));
    const bytes = readFileSync(join(sender, "bluth.ampcase"));
    const sealed = await encrypter.encrypt(bytes);
    expect(Buffer.from(sealed).toString("latin1")).toMatch(/^age-encryption\.org\/v1\n/u);
    const decrypter = new age.Decrypter();
    decrypter.addIdentity(key);
    const opened = await decrypter.decrypt(sealed);
    expect(unpackCase(opened, "bluth.ampcase").who).toContain("Bluth");
  });
});
