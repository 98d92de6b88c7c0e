import { isStop } from "./errors.ts";
import { type Io, processIo } from "./io.ts";
import { endProcess } from "./runtime/end-process.ts";

// The call is not awaited: the bundle for Node is CommonJS, which starts faster and has no `await`
// at the top.
void main(processIo());

async function main(io: Io): Promise<void> {
  const [word = ""] = io.argv;
  if (word === "__complete") return printCandidates(io);
  if (io.argv.length === 1 && ["--version", "-v", "-V"].includes(word)) return printVersion(io);
  const [{ runProgram }, { routes }] = await Promise.all([
    import("./cli/program.ts"),
    import("./commands/routes.ts"),
  ]);
  const exitCode = await runProgram({
    io,
    routes,
    createOutputSettings: async (world, options) =>
      (await import("./context/output-settings.ts")).createOutputSettings(world, options),
    createContext: async (world, options, createReporter) => {
      const { createContext } = await import("./context/context.ts");
      return createContext(world, options, {
        createReporter,
        loadPrompter: async (redraws) =>
          redraws
            ? (await import("./ui/prompter.ts")).createPrompter
            : (await import("./ui/line-prompter.ts")).createLinePrompter,
      });
    },
  });
  endProcess(exitCode, isStop(exitCode));
}

/** Prints the version before anything else is loaded: many scripts ask for it at every start. */
async function printVersion(io: Io): Promise<void> {
  const { version } = await import("./runtime/version.ts");
  await io.out.write(`amp-admin ${version}\n`).catch(async (error: Error) => {
    await io.err.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}

/** Answers a shell at Tab before anything else is loaded. Nobody would read an error there. */
async function printCandidates(io: Io): Promise<void> {
  const { complete } = await import("./cli/completion/complete.ts");
  await io.out.write(await complete(io.argv.slice(1), io)).catch(() => {});
}
