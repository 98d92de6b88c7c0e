/** A proxy has answered in place of the service, which has seen nothing of the request. */
export class ProxyRefusal extends Error {
  override readonly name = "ProxyRefusal";
  readonly status: number;

  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.status = status;
  }
}

/** Undici's words (CONNECT; a plain request), and Bun's: none of them has the status as a number. */
const WORDS = [
  /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/u,
  /^Proxy Authentication Required \((407)\)$/u,
  /^Proxy refused to open a tunnel: (\d{3})\b/u,
];

/** What a proxy has answered, in what `fetch` threw; undefined where the network itself failed. */
export function refusalIn(error: unknown): ProxyRefusal | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (current instanceof ProxyRefusal) return current;
    const { message, cause } = current;
    const status = WORDS.map((words) => words.exec(message)?.[1]).find(Boolean);
    if (status !== undefined) return new ProxyRefusal(Number(status));
    current = cause;
  }
  return undefined;
}
