import { isJsonObject } from "./json.ts";
import { originalOf } from "./odd-fields.ts";

/** The project that a record belongs to, as it says; undefined where it does not, or not as text. */
export function statedProject(record: unknown): string | undefined {
  const id = isJsonObject(record) ? record.projectId : undefined;
  if (typeof id !== "string" || id === "") return undefined;
  const sent = originalOf(record);
  return isJsonObject(sent) && sent.projectId === id ? id : undefined;
}
