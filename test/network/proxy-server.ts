import type { lookup } from "node:dns";
import { Server } from "proxy-chain";
import { onTestFinished } from "vitest";
import type { Identity } from "./certificates.ts";

/** A proxy on loopback, for which every name is one of this machine. */
export interface RunningProxy {
  readonly port: number;
  readonly url: string;
  /** Method and target of each request that came, before a login was asked for. */
  readonly asked: string[];
  /** Ends it at once, with all that goes through it. */
  die(): Promise<void>;
}

/** How it differs from one that lets everybody through. */
export interface ProxyManners {
  readonly login?: { readonly username: string; readonly password: string };
  /** Speaks TLS, as this one, and is called localhost. */
  readonly as?: Identity;
}

/** Starts one; it goes with the test. */
export async function startProxy({ login, as }: ProxyManners = {}): Promise<RunningProxy> {
  const asked: string[] = [];
  const server = new Server({
    host: "127.0.0.1",
    port: 0,
    // It answers in HTTP/2 whoever offers that, and then understands nothing.
    ...(as
      ? { serverType: "https", httpsOptions: { ...as, ALPNProtocols: ["h2", "http/1.1"] } }
      : { serverType: "http" }),
    prepareRequestFunction: ({ request, username, password }) => {
      asked.push(`${request.method} ${request.url}`);
      const isKnown = username === login?.username && password === login?.password;
      return { requestAuthentication: login !== undefined && !isKnown, dnsLookup: thisMachine };
    },
  });
  await server.listen();
  const die = () => server.close(true);
  onTestFinished(die);
  return {
    port: server.port,
    url: as ? `https://localhost:${server.port}` : `http://127.0.0.1:${server.port}`,
    asked,
    die,
  };
}

const thisMachine = ((_host: string, options: { all?: boolean }, done: Function_) => {
  if (options.all) done(null, [{ address: "127.0.0.1", family: 4 }]);
  else done(null, "127.0.0.1", 4);
}) as typeof lookup;

type Function_ = (error: null, address: unknown, family?: number) => void;
