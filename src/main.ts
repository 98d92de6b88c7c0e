import { processIo } from "./io.ts";

const io = processIo();
if (io.argv.length === 1 && (io.argv[0] === "--version" || io.argv[0] === "-V")) {
  // Asked at every start of many a script: answered before anything else is loaded.
  const { version } = await import("./version.ts");
  await io.out.write(`${version}\n`).catch(async (error: Error) => {
    await io.err.write(`${error.message}\n`);
    process.exitCode = 1;
  });
} else {
  const [{ runProgram }, { routes }] = await Promise.all([
    import("./cli/program.ts"),
    import("./commands/routes.ts"),
  ]);
  process.exitCode = await runProgram({
    io,
    routes,
    createLook: async (world, options) =>
      (await import("./context/look.ts")).createLook(world, options),
    createContext: async (world, options) => {
      const { createContext } = await import("./context.ts");
      return createContext(world, options, {
        loadPrompter: async () => (await import("./ui/prompter.ts")).createPrompter,
      });
    },
  });
}
