import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The entry of a kind that the API does not have; its endpoints are those of topics. */
const FIFTH_KIND = `
  "topic-filter": {
    words: ["topic filter", "topic filters"],
    fields: ["id", "topicId"],
    key: [
      {
        field: "topicId",
        references: "topic",
        label: "Topic",
      },
    ],
    create: createTopic,
    list: listTopics,
    delete: deleteTopic,
  },
});

/** A kind of resource. */`;

/** The files that the compiler refuses after a change of the resource table. */
async function refusedFiles(change: (table: string) => string): Promise<readonly string[]> {
  const folder = temporaryFolder();
  for (const name of ["src", "build"])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  for (const file of ["package.json", "tsconfig.json"])
    await cp(join(ROOT, file), join(folder, file));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const path = join(folder, "src/notify/model/resource.ts");
  await writeFile(path, change(await readFile(path, "utf8")));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const output = await promisify(execFile)(process.execPath, [compiler, "--noEmit", "-p", folder], {
    cwd: folder,
  }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
  return [...new Set([...output.matchAll(/^(src\/\S+?)\(/gmu)].map(([, file = ""]) => file))];
}

it("a fifth kind of resource needs an entry of the table, and places in model and file", async () => {
  const end = "\n});\n\n/** A kind of resource. */";
  const refused = await refusedFiles((table) => {
    expect(table.split(end)).toHaveLength(2);
    return table.replace(end, `\n${FIFTH_KIND.slice(1)}`);
  });
  expect(refused.toSorted()).toEqual(["src/notify/file/schema.ts", "src/notify/model/routing.ts"]);
});
