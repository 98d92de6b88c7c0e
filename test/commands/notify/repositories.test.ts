import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sandboxAt } from "../../harness.ts";
import { startStateServer } from "../../notify/state/remote/state-server.ts";
import { type Place, placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

const OTHER = ROUTING.replaceAll("ops", "billing").replaceAll("lifecycle", "invoices");
const SMALLER = ROUTING.replace(", connection.error", "");

/** The settings of a repository's git folder, as a clone from this address has them. */
const cloneOf = (url: string) => `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n`;

/** Two folders of other machines that share a state on a server, and a service. */
async function twoPlaces() {
  const server = await startStateServer();
  onTestFinished(() => server.close());
  const sandbox = sandboxAt();
  const at = ["--state", `${server.origin}/state`].join(" ");
  const one = placeWith(sandbox);
  const two = placeWith(sandbox);
  two.write("routing.yaml", OTHER);
  return { server, at, one, two };
}

function clone(place: Place, url: string, folder = ".git") {
  mkdirSync(join(place.cwd, folder), { recursive: true });
  writeFileSync(join(place.cwd, folder, "config"), cloneOf(url));
}

/** What the job of a repository on GitHub says of its checkout. */
const jobOf = (repository: string, { cwd }: Place) => ({
  env: { GITHUB_REPOSITORY: repository, GITHUB_WORKSPACE: cwd },
});
const APPLY = "apply -f routing.yaml --yes";
const SAYS = "Another file was applied under the name routing";

describe("files of one default name in several repositories", () => {
  it("never prune each other's resources, and no plan advises it", async () => {
    const { at, one, two } = await twoPlaces();
    const first = await one.notify(`${APPLY} --prune ${at}`, jobOf("acme/one", one));
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).not.toContain(SAYS);
    for (const command of [APPLY, "plan -f routing.yaml"]) {
      const refused = await two.notify(`${command} --prune ${at}`, jobOf("acme/two", two));
      expect([refused.code, writesOf(refused)]).toEqual([5, []]);
      expect(refused.stderr).toContain(`${SAYS}: github.com/acme/one:routing.yaml`);
    }
    for (const command of ["plan -f routing.yaml", APPLY]) {
      const said = await two.notify(`${command} ${at}`, jobOf("acme/two", two));
      expect(said.code).toBe(0);
      expect(said.stderr).toContain(SAYS);
      expect(said.stdout + said.stderr).not.toContain("Add --prune");
    }
    const back = await one.notify(`${APPLY} --prune ${at}`, jobOf("acme/one", one));
    expect([back.code, writesOf(back)]).toEqual([5, []]);
  });

  it("are one repository by whatever address it was cloned, or what the CI job says of it", async () => {
    const { at, one, two } = await twoPlaces();
    clone(one, "https://user:token@github.com/acme/one.git");
    expect(await one.notify(`${APPLY} ${at}`)).toMatchObject({ code: 0 });
    for (const url of ["git@github.com:acme/one.git", "ssh://git@GitHub.com/acme/one/"]) {
      clone(two, url);
      two.write("routing.yaml", ROUTING);
      const same = await two.notify(`plan -f routing.yaml --prune ${at}`);
      expect(same).toMatchObject({ code: 0 });
      expect(same.stderr).not.toContain(SAYS);
    }
    const three = placeWith(one.sandbox);
    three.write("routing.yaml", SMALLER);
    const env = { CI_PROJECT_URL: "https://github.com/acme/one", CI_PROJECT_DIR: three.cwd };
    const pruned = await three.notify(`${APPLY} --prune ${at}`, { env });
    expect([pruned.code, writesOf(pruned).length]).toEqual([0, 1]);
  });

  it("keep the credential of a clone's address out of the state", async () => {
    const { at, one, server } = await twoPlaces();
    clone(one, "https://user:hush-token@github.com/acme/one.git");
    await one.notify(`${APPLY} ${at}`);
    expect(server.text).toContain("github.com/acme/one:routing.yaml");
    expect(server.text).not.toContain("hush-token");
  });

  it("know a worktree and a submodule by the repository that they belong to", async () => {
    const { at, one, two } = await twoPlaces();
    clone(one, "https://github.com/acme/one");
    await one.notify(`${APPLY} ${at}`);
    clone(two, "https://github.com/acme/one", "main/.git");
    mkdirSync(join(two.cwd, "main/.git/worktrees/tree"), { recursive: true });
    writeFileSync(join(two.cwd, "main/.git/worktrees/tree/commondir"), "../..\n");
    mkdirSync(join(two.cwd, "tree"));
    two.write("tree/.git", "gitdir: ../main/.git/worktrees/tree\n");
    two.write("tree/routing.yaml", SMALLER);
    const pruned = await two.notify(`apply -f tree/routing.yaml --yes --prune ${at}`);
    expect([pruned.code, writesOf(pruned).length]).toEqual([0, 1]);
  });

  it("are not known without a repository: what one of them made is pruned only with a name", async () => {
    const { at, one, two } = await twoPlaces();
    expect(await one.notify(`${APPLY} --prune ${at}`)).toMatchObject({ code: 0 });
    const again = await one.notify(`${APPLY} --prune ${at}`);
    expect([again.code, again.stderr.includes("repository")]).toEqual([0, false]);
    for (const place of [one, two]) {
      if (place === one) place.write("routing.yaml", SMALLER);
      const refused = await place.notify(`${APPLY} --prune ${at}`);
      expect([refused.code, writesOf(refused)]).toEqual([5, []]);
      expect(refused.stderr).toContain("name: routing");
    }
    const plan = await two.notify(`plan -f routing.yaml ${at}`);
    expect(plan.stdout + plan.stderr).not.toContain("Add --prune");
    expect(plan.stderr).toContain("name: my-routing");
    one.write("routing.yaml", `${SMALLER}name: routing\n`);
    const pruned = await one.notify(`${APPLY} --prune ${at}`);
    expect([pruned.code, writesOf(pruned).length]).toEqual([0, 1]);
  });
});
