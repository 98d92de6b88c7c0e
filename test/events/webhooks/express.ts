import type { Server } from "node:http";
// @ts-expect-error: express has no types of its own, and a package for two receivers would be too much
import untyped from "express";

/** The part of express that its receivers here use. */
interface Express {
  (): {
    post(
      path: string,
      parser: unknown,
      handle: (
        request: { readonly headers: Readonly<Record<string, unknown>>; readonly body: unknown },
        response: { sendStatus(status: number): void },
      ) => void,
    ): void;
    set(name: string, value: unknown): void;
    listen(port: number, host: string): Server;
  };
  raw(options: object): unknown;
  json(): unknown;
}

export const express = untyped as Express;
