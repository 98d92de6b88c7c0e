/** Words that make a name secret wherever they are in it, also run together: `dbPassword`. */
const SECRET_WORDS =
  /assw(?:or)?[dt]|passphrase|passord|kennwort|wachtwoord|losenord|adgangskode|contrasena|senha$|haslo$|heslo$|salasana|sifre$|parola$|geheim|zugangsdaten|secret(?!ar[iy]|i(?:on|ve)|ory|ors?$|smanager)|credential|creds$|(?:^|db|user|my|root|admin)pwd|rootpw$|(?:store|key)pass$/;

/** Words that make a name secret if they are its last one: `accessToken`. */
const LAST_WORDS: ReadonlySet<string> = new Set(
  words(`token auth authorization cookie jwt bearer pat otp totp pin cvv cvc sig signature hmac csrf
   xsrf dsn assertion pass passe passcode passkey pw pwd psk hapikey verifier mnemonic`),
);

/** Last words of names whose value may as well be a word: it is a secret only if it looks random. */
const UNSURE_WORDS: ReadonlySet<string> = new Set(
  words(`key code session sid ticket seed salt answer material keyfile
   clave cle api schlussel schluessel chave acesso acces jeton`),
);

/** Secret names of several words that are often written as one: `APIKEY`, `sessionid`. */
const RUN_TOGETHER = [
  ...words("token cookie jwt connectionstring sessid sessionid samlresponse securityanswer"),
  ...words(
    `access account admin api app auth client consumer device encryption hmac license master private
     secret service session shared signing ssh storage webhook`,
  ).map((word) => `${word}key`),
  ...words("access basic bearer http proxy user").map((word) => `${word}auth`),
  ...words(
    "2fa access auth authorization backup device login mfa onetime pin recovery security unlock verification",
  ).map((word) => `${word}code`),
];

/** What may follow them, also run together. */
const ENDING = /(?:(?<!sess(?:ion)?)ids?|s|hash|value|pem|v?\d+)+$/u;

/** Words after the one that counts: `apiKeyId`, `token_hash`, `private-key-pem`, `secretV2`. */
const TAIL =
  /^(?:ids?|hash|digest|values?|pem|raw|b64|base64|enc|encoded|encrypted|text|str|string|plain|old|new|current|previous|prod|test|live|sha|md|v?\d+)$/u;

/** Last words by which a name tells something about a secret: `passwordPolicy`, `secretName`. */
const ABOUT =
  /^(?:age|algorithm|arn|at|attempts?|changed|count|created|date|expired|expires|expiry|format|kind|length|max|min|name|policy|required|rules?|status|time|ttl|type|updated|version)$/u;

/**
 * Names that end like a secret and are none: keys of records, positions in a list, counts. A key
 * that stands alone in the plural is a list of names.
 */
const EXCEPTIONS = [
  ...words(
    `public publishable primary foreign object partition sort row range hash cache dedup dedupe
     deduplication routing group idempotency unique natural composite surrogate business record field
     property attribute column metadata label translation locale lookup join index external document
     file s3 issue project event message feature flag item map sync parent child source target hot
     shortcut`,
  ).map((word) => `${word}key`),
  ...words(
    `page next continuation sync delta cursor pagination resume start skip stop design max min total
     prompt completion input output cached`,
  ).map((word) => `${word}token`),
  "oauth",
];

/**
 * The maps by the names that a builder or provider chose for objects, fields and modules: such a
 * name says nothing about its value. The keys within a value count again. `objects`: only if the
 * value is an object; `values`: whatever it is.
 */
const MAPS_OF_NAMES: Readonly<Record<string, "objects" | "values">> = {
  modules: "objects",
  moduleDependencies: "objects",
  objects: "objects",
  fields: "objects",
  properties: "objects",
  objectRecordLimits: "values",
  scopeMappings: "values",
  selectedFieldMappings: "values",
  selectedFields: "values",
  selectedValueMappings: "values",
};

/** The fields with the value of what another field of their object names: `{name, value}`. */
const OF_ANOTHER =
  /^(?:(?:current|default|old|new|previous)?values?|val|v|default|old|new|before|after|received|actual)$/iu;

/**
 * What the name of a field says of its value. `secret`: a text or number is secret, and so are
 * those of a list or object; `texts`: the same, but a number is a count; `own`: only the text or
 * number itself; `unsure`: a text that looks random; `all`: whatever is below; `value`: it depends
 * on what another field of its object names; `page`: a position in a list, which is not a secret
 * whatever its shape; `objects` and `values`: a map of names.
 */
type NameMeaning =
  | "open"
  | "secret"
  | "texts"
  | "own"
  | "unsure"
  | "all"
  | "value"
  | "page"
  | "objects"
  | "values";

const MAX_KNOWN_NAMES = 2_000;
const knownNames = new Map<string, NameMeaning>();

/** The meaning of a name, remembered because the records of a list repeat their names. */
export function meaningOf(name: string): NameMeaning {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const meaning = read(name);
  if (knownNames.size < MAX_KNOWN_NAMES) knownNames.set(name, meaning);
  return meaning;
}

/** Whether a field, header or parameter of this name has a secret as its value. */
export function isSecretName(name: string): boolean {
  return ["secret", "texts", "own", "all"].includes(meaningOf(name));
}

/** Quick tests that few texts pass: only such a text may have a secret name. */
const MAY_NAME =
  /pass|assw|assert|pw|secret|cred|token|key|auth|cookie|jwt|bearer|pat|otp|pin|cv[cv]|sig|hmac|[cx]srf|dsn|psk|sess|string|code|verifier|wort|woord|contrase|senha|sid|answer|ticket|mnemonic|response|senord|adgangskode|heslo|salasana|ifre|parola|geheim|zugangsdaten|clave|jeton|chave|cle|schl|seed|salt/i;
const FOREIGN_SECRET = /hasło|пароль|パスワード|密[码碼]|비밀번호|assw/i;
/** The same in letters that have no form in ASCII, and only where a text has any of these. */
const FOREIGN = /hasło|clé|şifre|пароль|パスワード|密[码碼]|비밀번호/i;
const IS_FOREIGN = /[^\0-\x7f]/;

/** Whether a text may have a secret name. */
export function mayName(text: string): boolean {
  return MAY_NAME.test(text) || (IS_FOREIGN.test(text) && FOREIGN.test(text));
}

function read(name: string): NameMeaning {
  if (Object.hasOwn(MAPS_OF_NAMES, name)) return MAPS_OF_NAMES[name] ?? "open";
  if (name.length <= 13 && OF_ANOTHER.test(name)) return "value";
  if (!mayName(name)) return "open";
  const isForeign = IS_FOREIGN.test(name);
  if (isForeign && FOREIGN_SECRET.test(name)) return "secret";
  const parts = (isForeign ? plainName(name) : name)
    .replaceAll(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/gu, "$1$3 $2")
    .toLowerCase()
    .split(/[\W_]+/)
    .filter((word) => word !== "");
  const end = parts.findLastIndex((word) => !TAIL.test(word)) + 1;
  const kept = parts.slice(0, end || parts.length);
  const joined = kept.join("");
  if (/pagetokens?$/u.test(joined)) return "page";
  if (joined === "secrets") return "all";
  if (SECRET_WORDS.test(parts.join(""))) {
    return parts.length > 1 && ABOUT.test(parts.at(-1) ?? "") ? "open" : "secret";
  }
  const last = (kept.at(-1) ?? "").replace(/(?<=\D{2})\d+$/u, "");
  const isLast = has(LAST_WORDS, last) || isCompound(joined) || isCompound(parts.join(""));
  if (!isLast && !has(UNSURE_WORDS, last)) return "open";
  if (joined === "keys" || endsInOne(EXCEPTIONS, joined.replace(/s$/u, ""))) return "open";
  if (last === "auth") return "own";
  if (!isLast) {
    if (/^ids?$/u.test(parts.at(-1) ?? "")) return "open";
    // A name that ends in key is one of a key, but for the word alone: `signerKey`, `hub.key`.
    return last.startsWith("key") && kept.length > 1 && !name.includes(" ") ? "secret" : "unsure";
  }
  // A number of tokens, or of tests that pass, is a count.
  return last.endsWith("s") ? "texts" : "secret";
}

/** A name in the letters in which the words above are written: `contraseña`, full-width ones. */
function plainName(name: string): string {
  return name.normalize("NFKD").replaceAll(/[\u0300-\u036f]/gu, "");
}

function has(known: ReadonlySet<string>, word: string): boolean {
  return known.has(word) || known.has(word.replace(/s$/u, ""));
}

function isCompound(name: string): boolean {
  return endsInOne(RUN_TOGETHER, name.replace(ENDING, ""));
}

function endsInOne(all: readonly string[], name: string): boolean {
  return all.some((one) => name.endsWith(one));
}

/** Words between spaces, for a list of them is read at a glance. */
function words(text: string): string[] {
  return text.split(/\s+/u);
}
