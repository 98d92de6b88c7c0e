import type { Home } from "./program.ts";
import type { Size } from "./screen.ts";
import { KEYS, Terminal } from "./terminal.ts";

/** Starts the wizard as a person would: by its name, through the path. */
export function openWizard(home: Home, size?: Size, ...options: readonly string[]): Terminal {
  return new Terminal(["amp", "notify", "setup", ...options], home, size);
}

/** The event types that {@link answerAll} selects. */
export const EVENTS = ["connection.error", "installation.created", "installation.deleted"];

/** The routing that the answers of {@link answerAll} create. */
export const ROUTING = {
  destinations: [
    { name: "ops-webhook", type: "webhook", metadata: { url: "https://hooks.acme.com/amp" } },
  ],
  topics: ["customer-lifecycle"],
  eventRoutes: EVENTS.map((event) => `${event} > customer-lifecycle`),
  destinationRoutes: ["customer-lifecycle > ops-webhook"],
};

/** Answers the questions for a webhook, a topic and three events, up to the review. */
export async function answerAll(terminal: Terminal): Promise<void> {
  await answerDestination(terminal);
  await terminal.answer("Topic name", "customer-lifecycle");
  await terminal.asked("Event types");
  // In the order of the screen, for a terminal moves only down.
  await terminal.tick("installation.created", "installation.deleted", "connection.error");
  terminal.type(KEYS.enter);
  await terminal.asked("Create these?");
}

/** Answers the questions for a webhook. */
export async function answerDestination(terminal: Terminal): Promise<void> {
  await terminal.choose("Destination", "New webhook");
  await terminal.answer("Destination name", "ops-webhook");
  await terminal.answer("URL", "https://hooks.acme.com/amp");
  await terminal.answer("Add headers, such as Authorization?", "");
}

/** The command that a receipt tells, as it is copied from the screen. */
export function commandOf(lines: readonly string[]): string {
  const from = lines.indexOf("Non-interactive command") + 1;
  return lines.slice(from).join("\n");
}

/** The lines of a terminal without what differs from run to run. */
export function screenText(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`
    .replaceAll(/127\.0\.0\.1:\d+/gu, "127.0.0.1:<port>")
    .replaceAll(/complete in [\d.]+ s:/gu, "complete in <time>:");
}
