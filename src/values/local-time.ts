/** The IANA name of the local time zone, which `TZ` may name. */
export function localTimeZone(env: { readonly TZ?: string | undefined }): string {
  return env.TZ || new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A moment in local time and UTC: `2026-09-02 10:45 GMT+2 (08:45 UTC)`. */
export function localTimeText(moment: Date, timeZone: string): string {
  const [utcDay = "", utcTime = ""] = moment.toISOString().slice(0, 16).split("T");
  const local = localParts(moment, timeZone);
  if (local === undefined || /^(?:GMT|UTC)(?:[+-]0)?$/u.test(local.zone))
    return `${utcDay} ${utcTime} UTC`;
  const utc = local.day === utcDay ? utcTime : `${utcDay} ${utcTime}`;
  return `${local.day} ${local.time} ${local.zone} (${utc} UTC)`;
}

/** A moment in a time zone; undefined for a zone that is not known. */
function localParts(moment: Date, timeZone: string) {
  try {
    const format = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      timeZoneName: "shortOffset",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    });
    const parts = format.formatToParts(moment);
    const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
    return {
      day: `${part("year")}-${part("month")}-${part("day")}`,
      time: `${part("hour")}:${part("minute")}`,
      zone: part("timeZoneName"),
    };
  } catch {
    return undefined;
  }
}
