/**
 * Fails a build that does not find what it imports: the bundler would leave the import to the program,
 * which then looks broken to the person who runs it.
 * @throws {Error} for an import that is found nowhere, and not declared as external
 */
export function refuseUnresolved(
  level: string,
  log: { readonly code?: string | undefined; readonly message: string },
  otherwise: (level: never, log: never) => void,
): void {
  if (log.code === "UNRESOLVED_IMPORT") {
    throw new Error(`${log.message}\nRun npm ci, then build again.`);
  }
  otherwise(level as never, log as never);
}
