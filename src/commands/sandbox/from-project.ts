import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { listIntegrations, listProjects } from "../../api/operations/endpoints.ts";
import { ifAvailable } from "../../api/operations/optional-operation.ts";
import type { RunContext } from "../../cli/define.ts";
import { isKind, UNSENT } from "../../errors.ts";
import { allInstallations } from "../../inspect/references.ts";
import { routingErrors } from "../../notify/errors.ts";
import { listRouting } from "../../notify/plan/live.ts";
import { registerSecret } from "../../secrets/secret.ts";
import { countedBatches } from "../../values/batches.ts";
import { inputErrors } from "../../values/errors.ts";
import { safeJson } from "../../values/safe-data.ts";
import { commandErrors } from "../errors.ts";

type Context = Pick<RunContext, "api" | "files" | "now" | "report">;

/** The options of `amp sandbox start` about its data; those of another source have no effect. */
type DataOptions = Readonly<
  Record<"fromProject" | "save", string> &
    Record<"overwrite" | "keepNames", boolean> &
    Record<(typeof OTHERS)[number], unknown>
>;
const OTHERS = ["world", "installations", "state"] as const;

/** A world as the text of a seed file. */
export function seedText(world: unknown): string {
  return `${safeJson(JSON.stringify(world, null, 1))}\n`;
}

/**
 * Reads the routing, integrations and installations of a project, and writes them without what must
 * not leave with them as a seed file.
 * @returns the text of the file
 */
export async function seedOfProject(
  { api, files, now, report }: Context,
  options: DataOptions,
): Promise<string> {
  const { fromProject: project, save, overwrite, keepNames } = options;
  const idle = OTHERS.filter((one) => options[one] !== undefined);
  if (idle.length > 0) {
    const names = idle.map((one) => `--${one}`);
    throw inputErrors.option_idle(names, "with --from-project", undefined, UNSENT);
  }
  if (!overwrite) await files.refuseExisting(save);
  const path = { projectIdOrName: project };
  const [projects, integrations, routing] = await Promise.all([
    ifAvailable(api.call(listProjects, {})),
    api.call(listIntegrations, { path }),
    listRouting({ api, project }),
  ]);
  if (routing === undefined)
    throw routingErrors.routing_not_listed("", "Write a seed file by hand, for --world.");
  const keyFile = `${save}.key`;
  const key = await keyBeside(files, keyFile, save);
  const { twinOf } = await import("../../sandbox/seed/twin.ts");
  // Without a list of projects, what was typed may be the name: it is not written as the ID.
  const [{ projectId: id = "" } = {}] = integrations;
  const found = projects?.find((one) => one.id === project || one.name === project);
  const world = await twinOf(
    {
      ...routing,
      project: { id, name: project, ...found },
      integration: integrations,
      installation: countedBatches(allInstallations(api, project), report, "Reading installations"),
    },
    { key, keepNames, now: now() },
  );
  const text = seedText(world);
  await files.write(save, text, { overwrite });
  report.notice(`Saved as ${save}. Read it before you commit it.`);
  report.notice(
    `Do not commit ${keyFile}, the key of its pseudonyms. Add this line to .gitignore: ${basename(keyFile)}`,
  );
  return text;
}

/** The key beside a seed file, which is made where there is none. */
async function keyBeside(files: Context["files"], path: string, save: string): Promise<string> {
  const made = randomBytes(32).toString("base64url");
  const text = `# The key of the pseudonyms in ${basename(save)}. Do not commit it.\n${made}\n`;
  await files.write(path, text, { overwrite: false, isPrivate: true }).catch((error: unknown) => {
    if (!isKind(error, "file_exists")) throw error;
  });
  const [found] = /^[\w-]{43}$/mu.exec(await files.read(path)) ?? [];
  if (found === undefined) throw commandErrors.key_invalid(path);
  registerSecret(found);
  return found;
}
