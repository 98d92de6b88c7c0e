import type { PageEventType, PageField, PageRouting } from "../model.ts";
import {
  button,
  type Child,
  commandBox,
  copyButton,
  factList,
  make,
  timeElement,
  toast,
} from "./dom.ts";
import type { Session } from "./session.ts";

interface Act {
  readonly title: string;
  readonly test: string;
  readonly content: readonly Child[];
  /** What does the same on the command line. */
  readonly command: () => readonly string[];
  readonly label: string;
  /** Does it, and says what was done. */
  readonly run: () => Promise<string>;
}

/** Asks for what an act needs, and does it. Esc closes the dialog. */
function openAct({ title, test, content, command, label, run }: Act): HTMLDialogElement {
  const error = make("p", { class: "error", role: "alert" });
  const submit = make("button", { type: "submit", class: "main", test: "do" }, label);
  const shown = commandBox(command);
  const send = async (event: Event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      toast(await run());
      dialog.close();
    } catch (failure) {
      error.textContent = (failure as Error).message;
    } finally {
      submit.disabled = false;
    }
  };
  const form = make(
    "form",
    { on: { submit: (event) => void send(event), input: shown.update, change: shown.update } },
    ...content,
    make("p", { class: "hint" }, "The same on the command line:"),
    shown.element,
    error,
    make(
      "div",
      { class: "buttons" },
      button("Cancel", () => dialog.close()),
      submit,
    ),
  );
  const dialog = openDialog(title, test, form);
  return dialog;
}

function openDialog(title: string, test: string, ...content: readonly Child[]): HTMLDialogElement {
  const close = button("×", () => dialog.close(), { class: "close", "aria-label": "Close" });
  const dialog = make(
    "dialog",
    { "aria-labelledby": "dialog-title", test },
    make("header", {}, make("h2", { id: "dialog-title" }, title), close),
    ...content,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function labelled(label: string, input: HTMLElement, hint?: string): HTMLElement {
  const texts = [make("span", {}, label), hint !== undefined && make("small", {}, hint)];
  return make("label", { class: "field" }, ...texts, input);
}

function choice(choices: readonly (readonly [value: string, label: string])[], chosen = "") {
  const select = make("select");
  for (const [value, label] of choices) select.append(make("option", { value }, label));
  select.value = chosen;
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  return select;
}

function numberInput(value: number, max: number, min = 1): HTMLInputElement {
  return make("input", { type: "number", min, max, value, required: true });
}

/** A button that acts at once, beside the command that does the same. */
export function actAtOnce(
  label: string,
  words: readonly string[],
  run: () => Promise<string>,
  test: string,
): HTMLElement {
  const act = async () => {
    try {
      toast(await run());
    } catch (failure) {
      toast((failure as Error).message);
    }
  };
  const start = button(label, () => void act(), { test, "data-key": `${test} ${words.join(" ")}` });
  return make("div", { class: "at-once" }, start, commandBox(() => words).element);
}

/** The input of a field of an event, with the value that was typed; undefined while it is unchanged. */
function fieldInput({ name, type, example, about, required }: PageField) {
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const given =
    example === undefined ? "" : type === "json" ? JSON.stringify(example) : text(example);
  const input =
    type === "boolean"
      ? choice(
          [
            ["", "as in the sample"],
            ["true", "true"],
            ["false", "false"],
          ],
          given,
        )
      : type === "json"
        ? make("textarea", { rows: given.length > 60 ? 4 : 2, spellcheck: "false" }, given)
        : make("input", { type: type === "number" ? "number" : "text", step: "any", value: given });
  input.setAttribute("data-test", `field-${name}`);
  return {
    name,
    element: labelled(name, input, about ?? (required ? "required" : undefined)),
    typed: () => (input.value === given ? undefined : input.value),
    read: () => {
      if (type === "text") return input.value;
      try {
        return JSON.parse(input.value) as unknown;
      } catch {
        throw new Error(`${name} is not valid JSON.`);
      }
    },
  };
}

/** Lets an event occur, with fields that a person may change. */
export function openTrigger(
  session: Session,
  preset: { type?: string; about?: string } = {},
): void {
  const { eventTypes = [], installations = [] } = session.state ?? {};
  const types = eventTypes.map(({ type }) => [type, type] as const);
  const type = choice(types, preset.type);
  type.setAttribute("data-test", "trigger-type");
  const about = make("input", { list: "installations", value: preset.about ?? "" });
  about.placeholder = "any";
  const known = installations.map(({ id, customer, integration }) =>
    make("option", { value: id }, `${customer}, ${integration}`),
  );
  const repeat = numberInput(1, 10_000);
  const fields = make("fieldset");
  let inputs: ReturnType<typeof fieldInput>[] = [];
  const show = () => {
    const found = eventTypes.find((one: PageEventType) => one.type === type.value);
    inputs = (found?.fields ?? []).map(fieldInput);
    fields.replaceChildren(make("legend", {}, "Fields"), ...inputs.map(({ element }) => element));
    fields.hidden = inputs.length === 0;
  };
  type.addEventListener("change", show);
  show();
  const changed = () => inputs.filter(({ typed }) => typed() !== undefined);
  openAct({
    title: "Trigger an event",
    test: "trigger-dialog",
    content: [
      labelled("Event type", type),
      labelled("Installation", about, "the event is about it"),
      make("datalist", { id: "installations" }, ...known),
      labelled("Times", repeat),
      fields,
    ],
    command: () =>
      session.command(
        "trigger",
        type.value,
        ...(about.value ? ["--installation", about.value] : []),
        ...(repeat.value === "1" ? [] : ["--repeat", repeat.value]),
        ...changed().flatMap(({ name, typed }) => ["--set", `${name}=${typed()}`]),
      ),
    label: "Trigger",
    run: async () => {
      const data = Object.fromEntries(changed().map(({ name, read }) => [name, read()]));
      await session.post("trigger", {
        type: type.value,
        repeat: Number(repeat.value),
        ...(about.value && { installationId: about.value }),
        ...(Object.keys(data).length > 0 && { data }),
      });
      const times = repeat.value === "1" ? "" : ` ${repeat.value} times`;
      return `Triggered ${type.value}${times}`;
    },
  });
}

/** Makes the next deliveries fail. */
export function openFail(session: Session, destination = ""): void {
  const { destinations = [] } = session.state?.routing ?? {};
  const names = destinations.map(({ name }) => [name, name] as const);
  const to = choice([["", "Every destination"], ...names], destination);
  const next = numberInput(2, 1000);
  const kind = choice([
    ["status", "HTTP status"],
    ["timeout", "Timeout"],
    ["reset", "Connection reset"],
  ]);
  const status = numberInput(503, 599, 200);
  const statusField = labelled("Status", status);
  kind.addEventListener("change", () => {
    statusField.hidden = kind.value !== "status";
    status.disabled = statusField.hidden;
  });
  for (const [input, test] of [
    [to, "fail-destination"],
    [next, "fail-next"],
    [kind, "fail-kind"],
  ] as const)
    input.setAttribute("data-test", test);
  const failure = () => (kind.value === "status" ? status.value : kind.value);
  openAct({
    title: "Fail deliveries",
    test: "fail-dialog",
    content: [
      labelled("Destination", to),
      labelled("Next deliveries", next),
      labelled("Failure", kind),
      statusField,
    ],
    command: () =>
      session.command(
        ...["sandbox", "fail", ...(to.value ? [to.value] : [])],
        ...["--next", next.value, "--with", failure()],
      ),
    label: "Fail them",
    run: async () => {
      await session.post("faults", {
        ...(to.value && { destination: to.value }),
        next: Number(next.value),
        kind: kind.value,
        ...(kind.value === "status" && { status: Number(status.value) }),
      });
      return `The next ${next.value} deliveries to ${to.value || "any destination"} will fail`;
    },
  });
}

/** Forwards the clock of the sandbox, so that what is due by then happens now. */
export function openForward(session: Session): void {
  const by = make("input", {
    value: "5m",
    required: true,
    pattern: "\\d+(ms|s|m|h)",
    title: "A number with its unit, such as 30s, 5m or 2h",
    test: "forward-by",
  });
  const dialog = openAct({
    title: "Forward the clock",
    test: "forward-dialog",
    content: [
      labelled("By", by, "30s, 5m or 2h"),
      make(
        "div",
        { class: "presets" },
        ...["5s", "5m", "30m", "2h", "10h"].map((value) =>
          button(value, () => {
            by.value = value;
            by.dispatchEvent(new Event("input", { bubbles: true }));
          }),
        ),
      ),
    ],
    command: () => session.command("sandbox", "forward", by.value),
    label: "Forward",
    run: async () => {
      await session.post("clock", { forward: by.value });
      return `Forwarded the clock by ${by.value}`;
    },
  });
  dialog.querySelector("input")?.select();
}

/** Begins anew, after a question. */
export function openReset(session: Session): void {
  openAct({
    title: "Reset the sandbox",
    test: "reset-dialog",
    content: [
      make(
        "p",
        {},
        "All data is as it was at the start. Events, deliveries and faults are deleted, and the clock is set back.",
      ),
    ],
    command: () => session.command("sandbox", "reset"),
    label: "Reset",
    run: async () => {
      await session.post("reset", {});
      return "The sandbox was reset";
    },
  });
}

/** The facts and acts of a destination. */
export function openDestination(
  session: Session,
  { id, name, type, target, state, failingSince }: PageRouting["destinations"][number],
): void {
  const isPaused = state === "paused";
  const verb = isPaused ? "resume" : "pause";
  const pause = async () => {
    await session.post("pause", { destination: id, paused: !isPaused });
    dialog.close();
    return `${isPaused ? "Resumed" : "Paused"} deliveries to ${name}`;
  };
  const fail = button("Fail deliveries…", () => {
    dialog.close();
    openFail(session, name);
  });
  const dialog = openDialog(
    name,
    "destination-dialog",
    factList({
      Type: type,
      Target: target,
      State: state,
      "Failing since": failingSince && timeElement(failingSince, true),
      ID: make(
        "span",
        {},
        make("code", {}, id),
        copyButton("ID", () => id),
      ),
    }),
    actAtOnce(
      isPaused ? "Resume deliveries" : "Pause deliveries",
      session.command("sandbox", verb, name),
      pause,
      "pause",
    ),
    make("div", { class: "buttons" }, fail),
  );
}
