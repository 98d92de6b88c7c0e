import { apiErrors } from "../../api/errors.ts";
import type { CommandContext } from "../../context/command-context.ts";
import type { ExplainedSetting, LoginStatus, StatusCheck } from "../../documents/account.ts";
import { AmpError, AuthError, isInterrupt } from "../../errors.ts";
import { redactAddress } from "../../secrets/address.ts";
import { REDACTED, redactSecrets } from "../../secrets/secret.ts";
import { CREDENTIAL_NAMES, SETTINGS, type SettingName, settingOf } from "../../settings.ts";
import { asList, tried } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { suggest } from "../../values/suggested-command.ts";
import { durationText } from "../../values/time.ts";
import { guardFields } from "../../values/writes.ts";
import { joined } from "../../view/view.ts";
import type { ResolvedCredential } from "../credential.ts";
import { accountErrors } from "../errors.ts";
import { machineChecks } from "../machine.ts";
import { checkValue, readTypedSetting, SETTING_READERS } from "../values.ts";
import { throwUnlessVisible, verifyCredential, visibleProject } from "./context.ts";

/** How long a request of a check may take where no setting says it, in milliseconds. */
const CHECK_MS = 4_000;
/** The difference of two clocks that matters, in milliseconds. */
const CLOCK_MS = 30_000;

type StatusContext = Pick<
  CommandContext,
  "connect" | "environment" | "now" | "profiles" | "serviceTime" | "settings" | "target" | "trust"
>;

/** The limits of the requests of checks. */
export function checkLimits(settings: StatusContext["settings"]) {
  const timeoutMs = readTypedSetting(settings, "timeout", SETTING_READERS.timeout) ?? CHECK_MS;
  return { timeoutMs, retries: 0 };
}

/** A check that may find an error of amp, as the command that meets it says it. */
export async function checked(
  check: StatusCheck["check"],
  work: () => Promise<readonly StatusCheck[]>,
): Promise<readonly StatusCheck[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AmpError) || isInterrupt(error)) throw error;
    return [problemOf(check, error)];
  }
}

/** The errors of problems, for a program that reads the first one on stderr. */
const ERRORS = new WeakMap<StatusCheck, AmpError>();

function problemOf(check: StatusCheck["check"], error: AmpError): StatusCheck {
  const { exit: code, message, facts } = error;
  const { detail, remedy, suggestion } = facts;
  const [next] = asList(suggestion);
  // What a state server says repeats what could not be done.
  const said = error.kind === "state_server_silent" ? detail : joined([message, detail], ". ");
  const text = redactSecrets(said ?? "");
  // Of a request, that the credential is not accepted is the cause.
  const part = check === "service" && error instanceof AuthError ? "credential" : check;
  const problem = {
    check: part,
    outcome: "problem",
    code,
    text,
    ...defined({ remedy, ...(next?.parts.path !== "auth status" && { next }) }),
  } as const;
  ERRORS.set(problem, error);
  return problem;
}

/**
 * Reads the settings, sends a request with the credential, and looks at what commands need of this
 * machine. Everything at once, and nothing is an error: what does not work is a problem.
 * @param others further checks
 */
export async function readLoginStatus(
  context: StatusContext,
  ...others: readonly Promise<readonly StatusCheck[]>[]
): Promise<LoginStatus> {
  const { profiles, settings } = context;
  const explained = explainAll(context);
  const isTrusted = explained.checks.every((one) => !isOfUntrustedFile(one));
  // Nothing is sent with the settings of a file that is not trusted.
  const service = isTrusted
    ? readService(context)
    : Promise.resolve({ checks: [], facts: { checked: false } });
  const found = await Promise.all([
    checked("settings", () => projectFileCheck(context)),
    service.then(({ checks }) => checks),
    checked("proxy", () => proxyCheck(context)),
    keyringCheck(context),
    ...others,
  ]);
  const all = [...explained.checks, ...found.flat(), ...machineChecks(context.environment)];
  const causes = new Set<string>();
  // One cause may keep several checks from working, in other words for each setting of a file.
  const checks = all.filter((one) => {
    const cause = isOfUntrustedFile(one) ? "untrusted" : one.text;
    return !causes.has(cause) && causes.add(cause);
  });
  const rank = ({ outcome }: StatusCheck) => ["problem", "warning", "ok"].indexOf(outcome);
  const { facts } = await service;
  const problems = checks.filter(({ outcome }) => outcome === "problem");
  return {
    ready: problems.length === 0,
    ...defined({
      profile: tried(() => profiles.chosen()?.name),
      baseUrl: tried(() => context.target().baseUrl),
      readBaseUrl: tried(() => settings.get("readBaseUrl")?.value),
      project: tried(() => settings.get("project")?.value),
      expectProject: tried(() => settings.get("expectProject")?.value),
    }),
    ...guardFields(tried(() => profiles.chosen()?.profile) ?? {}),
    ...facts,
    checks: checks.toSorted((one, other) => rank(one) - rank(other)),
    notes: profiles
      .takeNotices()
      .filter((note) => !problems.some(({ text }) => note.includes(text))),
    settings: explained.settings,
  };
}

function isOfUntrustedFile(problem: StatusCheck): boolean {
  return ERRORS.get(problem)?.kind === "project_file_untrusted";
}

type GivenCredential = Exclude<ResolvedCredential, { kind: "none" }>;

type Facts = Pick<LoginStatus, "checked"> & Partial<LoginStatus>;

/** The credential of this call, and what the service says of it. */
async function readService(context: StatusContext) {
  const { profiles, settings } = context;
  let facts: Facts = { checked: false };
  const checks = await checked("credential", async () => {
    const { baseUrl } = context.target();
    const credential = await profiles.credentials.ofService();
    if (credential.kind === "none") throw credential.why;
    const { kind, secret, source, storedIn, expires } = credential;
    const project = settings.get("project")?.value;
    facts = {
      ...facts,
      credential: kind,
      credentialSource: source,
      ...defined({
        storedIn: storedIn === "file" ? profiles.secretsPath : storedIn,
        expires: expires?.toISOString(),
      }),
    };
    const sent = { kind, secret: secret.reveal(), name: source };
    const api = context.connect({ baseUrl, credential: sent, ...checkLimits(settings) });
    const asked = await checked("service", async () => {
      const start = performance.now();
      const { outcome, projects, why } = await verifyCredential(api, project).catch((error) => {
        throw error instanceof AuthError ? refused(error, credential, context.now()) : error;
      });
      const took = `answered in ${Math.round(performance.now() - start)} ms`;
      if (outcome === "unchecked") throw accountErrors.service_unknown(baseUrl, project, why);
      facts = { ...facts, checked: true, ...defined({ projects }) };
      // An empty list says nothing of what commands may do.
      if (project && projects?.[0]) {
        throwUnlessVisible({ projects }, project);
        throwUnlessExpected({ projects }, project, settings.get("expectProject"));
      }
      return [{ check: "service", outcome: "ok", text: took }];
    });
    const where = facts.storedIn === undefined ? "" : `, stored in ${facts.storedIn}`;
    const text = `${CREDENTIAL_NAMES[kind]} of ${source}${where}`;
    const isRefused = asked.some(({ check }) => check === "credential");
    const own = isRefused ? [] : [{ check: "credential", outcome: "ok", text } as const];
    return [...asked, ...own, ...clockCheck(context)];
  });
  return { checks, facts };
}

/** @throws {ConflictError} where every write would be refused, since it expects another project */
function throwUnlessExpected(
  known: Pick<LoginStatus, "projects">,
  project: string,
  expected: ReturnType<StatusContext["settings"]["get"]>,
): void {
  if (!expected || visibleProject(known, expected.value) === visibleProject(known, project)) return;
  const problem = `commands write to project ${project}`;
  throw apiErrors.project_not_expected(expected.source, expected.value, problem);
}

/** The error of a credential that the service does not accept, with what replaces it. */
function refused(
  error: AuthError,
  { source, profile, expires }: GivenCredential,
  now: Date,
): AuthError {
  const isExpired = expires !== undefined && expires <= now;
  const found = isExpired ? accountErrors.token_expired(source, expires) : error;
  // A login would not be used: the variable outranks it.
  return /^[A-Z_]+$/u.test(source)
    ? found.setFacts({ remedy: `Correct ${source}, or unset it to use a saved login.` })
    : found.setFacts({ suggestion: suggest("auth login", [], { profile }) });
}

/** Compares the clock of this machine with the date of the answer. */
function clockCheck({ now, serviceTime }: StatusContext): StatusCheck[] {
  const served = serviceTime();
  if (served === undefined) return [];
  const own = now().getTime();
  const [ahead, behind] = [own - served.latest, served.earliest - own];
  if (Math.max(ahead, behind) <= CLOCK_MS) {
    return [{ check: "clock", outcome: "ok", text: "in step with the service" }];
  }
  const off = `${durationText(Math.max(ahead, behind))} ${ahead > 0 ? "ahead of" : "behind"}`;
  const text = `The clock of this machine is ${off} that of the service`;
  return [{ check: "clock", outcome: "warning", text, remedy: "Set the clock of this machine." }];
}

/** @throws {UsageError} for a project file that commands cannot use */
async function projectFileCheck({ trust }: StatusContext): Promise<StatusCheck[]> {
  const { problem } = await trust();
  if (problem) throw problem;
  return [];
}

async function proxyCheck({ environment, target }: StatusContext): Promise<StatusCheck[]> {
  const network = await environment.network();
  const url = URL.parse(tried(() => target().baseUrl) ?? "");
  if (url === null) return [];
  const proxy = network?.proxyFor(url);
  const name = url.protocol.replace(":", "_proxy");
  const variable = [name, name.toUpperCase()].find((one) => environment.env[one]);
  if (variable === undefined) return [];
  const text = proxy ? `${proxy.host} (${variable})` : `not for ${url.hostname} (NO_PROXY)`;
  return [{ check: "proxy", outcome: "ok", text }];
}

/** Says whether the keyring can be used; one that holds the credential has been read already. */
async function keyringCheck({ profiles, environment }: StatusContext): Promise<StatusCheck[]> {
  if (environment.ci) return [];
  const text = await profiles.probeKeyring().then(
    () => "reachable",
    () => "not reachable: credentials are saved in a file",
  );
  return [{ check: "keyring", outcome: "ok", text }];
}

/** The settings that say nothing of how amp works here, or belong to other programs. */
const UNSAID: ReadonlySet<SettingName> = new Set([
  "case",
  "caseTime",
  "path",
  "shell",
  "timeZone",
  "configDir",
  "traceparent",
  "tracestate",
]);

function explainAll({ profiles, settings: given, target }: StatusContext) {
  const settings: ExplainedSetting[] = [];
  const checks: StatusCheck[] = [];
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const { env, inProfile, inProjectFile } = settingOf(name);
    if (UNSAID.has(name) || !(env || inProfile || inProjectFile)) continue;
    try {
      const one = profiles.explain(name);
      const { value = "", source = "default" } = one;
      if (source === "default") continue;
      // The other credentials are redacted by the settings; this one is sent from them.
      const shown = name === "sandboxToken" ? REDACTED : redactAddress(value);
      settings.push({ ...one, value: shown });
      if (name === "baseUrl") target();
      // ACCESSIBLE is read by other programs, too: any word but no, 0, off or false enables it.
      if (one.source === "ACCESSIBLE") continue;
      readTypedSetting(given, name, (text) => checkValue(name, text));
    } catch (error) {
      if (!(error instanceof AmpError)) throw error;
      checks.push(problemOf("settings", error));
    }
  }
  return { settings, checks };
}

/** The error of the worst problem, which is the first: those of the login come first. */
export function worstError({ checks: [first] }: LoginStatus): AmpError | undefined {
  return first && ERRORS.get(first);
}
