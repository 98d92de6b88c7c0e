import { UsageError } from "../../errors.ts";
import { serverUrl } from "./server-url.ts";

/** A server of Terraform's HTTP state protocol. */
export interface HttpPlace {
  readonly address: URL;
  readonly lockAddress: URL;
  readonly unlockAddress: URL;
  readonly lockMethod: string;
  readonly unlockMethod: string;
  /** For basic authentication; absent: none is sent. */
  readonly credential?: { readonly username: string; readonly password: string };
}

/** The environment of a call. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The server that an address and the environment name. Without a lock address of its own, the
 * state's address takes the lock too.
 * @throws {UsageError} naming the variable that is wrong
 */
export function httpPlace(address: string, source: string, env: Environment): HttpPlace {
  const lockAddress = env.AMP_STATE_LOCK_ADDRESS ?? address;
  const unlockAddress = env.AMP_STATE_UNLOCK_ADDRESS ?? lockAddress;
  const credential = basicCredential(env);
  return {
    address: serverUrl(address, source),
    lockAddress: serverUrl(lockAddress, "AMP_STATE_LOCK_ADDRESS"),
    unlockAddress: serverUrl(unlockAddress, "AMP_STATE_UNLOCK_ADDRESS"),
    lockMethod: method(env, "AMP_STATE_LOCK_METHOD", "LOCK"),
    unlockMethod: method(env, "AMP_STATE_UNLOCK_METHOD", "UNLOCK"),
    ...(credential ? { credential } : {}),
  };
}

/** AMP_STATE_USERNAME and AMP_STATE_PASSWORD; undefined where neither is set. */
export function basicCredential({
  AMP_STATE_USERNAME: username = "",
  AMP_STATE_PASSWORD: password = "",
}: Environment): HttpPlace["credential"] {
  if (username === "" && password === "") return undefined;
  if (username.includes(":")) {
    throw new UsageError(
      "AMP_STATE_USERNAME holds a colon, which basic authentication cannot carry",
    );
  }
  return { username, password };
}

function method(env: Environment, name: string, usual: string): string {
  const value = env[name] ?? usual;
  if (/^[A-Za-z]+$/u.test(value)) return value.toUpperCase();
  throw new UsageError(`${name} is no method such as ${usual} or POST`);
}
