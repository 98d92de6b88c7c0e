import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { redactAnswer, redactQuoted } from "../../src/secrets/answer.ts";

const PACKAGES = ["@secretlint/core", "@secretlint/secretlint-rule-preset-recommend"];

/** The part of secretlint that judges: it knows the forms of secrets by rules of its own. */
let messages: (content: string) => Promise<readonly string[]>;

beforeAll(async () => {
  const [{ lintSource }, { creator }] = await Promise.all(PACKAGES.map((name) => import(name)));
  messages = async (content) => {
    const source = { filePath: "x.txt", content, contentType: "text" as const };
    const config = { rules: [{ id: creator.meta.id, rule: creator, rules: [AWS_IDS] }] };
    const found = await lintSource({ source, options: { config, noPhysicFilePath: true } });
    return found.messages.map(({ message }: { message: string }) => message);
  };
});

/** Key IDs of AWS are judged only where this is asked for. */
const AWS_IDS = { id: "@secretlint/secretlint-rule-aws", options: { enableIDScanRule: true } };

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });

/** Random text of an alphabet, the same in each run. */
function random(length: number, alphabet = "aB3dE5gH7jK9mN2pQ4sT6vW8xZ"): string {
  return Array.from({ length }, (_, at) => alphabet[(at * 7 + length) % alphabet.length]).join("");
}
const hex = (length: number) => random(length, "0123456789abcdef");

/** A secret of each form that the rules know. */
const FORMS: Readonly<Record<string, string>> = {
  "AWS key ID": `AKIA${random(16, "ABCDEFGH234567")}`,
  "AWS secret": `AWS_SECRET_ACCESS_KEY="${random(40)}"`,
  "private key": privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  "private key of RSA": privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
  "token of npm": `npm_${random(36)}`,
  "login of GitHub": `https://${random(40)}:x-oauth-basic@github.com/a/b`,
  "token of GitHub": `ghp_${random(36)}`,
  "token of a GitHub app": `ghs_${random(36)}`,
  "fine-grained token of GitHub": `github_pat_${random(82)}`,
  "token of GitLab": `glpat-${random(20)}`,
  "token of Slack": `xoxb-${random(12)}-${random(12)}-${random(24)}`,
  "webhook of Slack": `https://hooks.slack.com/services/T${random(8)}/B${random(8)}/${random(24)}`,
  "login in a URL": "https://jo:pa55word@host.example.com/x",
  "login of PostgreSQL": "postgresql://jo:pa55word@db.example.com:5432/x",
  "login of MySQL": "mysql://jo:pa55word@db.example.com:3306/x",
  "login of MongoDB": "mongodb+srv://jo:pa55word@db.example.com/x",
  "key of OpenAI": `sk-proj-${random(74)}T3BlbkFJ${random(74)}`,
  "key of Anthropic": `sk-ant-api03-${random(93)}AA`,
  "key of Groq": `gsk_${random(52)}`,
  "token of Hugging Face": `hf_${random(34, "abcdefGHIJ")}`,
  "key of Linear": `lin_api_${random(40)}`,
  "token of Notion": `ntn_12345678901${random(35)}`,
  "key of SendGrid": `SG.${random(22)}.${random(43)}`,
  "token of Shopify": `shpat_${hex(32)}`,
  "token of Grafana": `glsa_${random(32)}_${hex(8)}`,
  "token of Vault": `hvs.${random(95)}`,
  "token of Vercel": `vcp_${random(40)}`,
  "token of Databricks": `dapi${hex(32)}`,
  "token of Docker": `dckr_pat_${random(27)}`,
  "token of Figma": `figd_${random(40)}`,
};

describe("the rules of secretlint", () => {
  it.each(Object.entries(FORMS))(
    "find nothing where they found a secret: %s",
    async (_, secret) => {
      const text = `the request failed with ${secret} for the customer`;
      expect(await messages(text)).not.toEqual([]);
      expect(await messages(redactQuoted(text))).toEqual([]);
      const record = { note: secret, list: [secret], log: { msg: text } };
      const shown = redactAnswer(record);
      expect(await messages(JSON.stringify(shown))).toEqual([]);
      expect(await messages(shown.note)).toEqual([]);
    },
  );
});
