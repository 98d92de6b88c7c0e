import { existsSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { SANDBOX_API_KEY } from "../platform.ts";
import { createHome, runAmp } from "./program.ts";
import { startSandbox } from "./sandbox.ts";

vi.setConfig({ testTimeout: 120_000 });

const FAULTS = {
  "there is none": async (_path: string) => {},
  "it never answers": async (path: string) => {
    const open = new Set<Socket>();
    const server = createServer((socket) => open.add(socket));
    await new Promise<void>((ready) => server.listen(path, ready));
    onTestFinished(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
  },
};

test.runIf(process.platform === "linux").each(Object.entries(FAULTS))(
  "nothing is saved anywhere where of the session bus %s",
  async (_name, prepare) => {
    const { url } = await startSandbox();
    const home = createHome();
    const path = join(home.folder, "bus");
    await prepare(path);
    const { code, stdout, stderr } = await runAmp(
      ["auth", "login", "--base-url", url, "--api-key-file", "-", "--secure-storage"],
      {
        home,
        env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
        stdin: SANDBOX_API_KEY,
      },
    );
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain("The keyring cannot be used");
    expect(stderr).toContain("Nothing was saved");
    for (const name of ["config.json", "credentials.json"]) {
      expect(existsSync(join(home.configFolder, name))).toBe(false);
    }
  },
);
