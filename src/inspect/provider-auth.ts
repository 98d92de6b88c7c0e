import type {
  ApiKeyOptions,
  BasicOptions,
  CustomOptions,
  OAuth2Options,
  Provider,
} from "../api/schemas/provider.ts";
import type { PageRow } from "../view/view.ts";
import { entryTexts, joined, row } from "./describe.ts";

/** The authentication options that a provider states; those of its own type come first. */
export function authRows(provider: Provider): PageRow[] {
  return [
    ...(provider.oauth2Opts ? oauthRows(provider.oauth2Opts) : []),
    ...(provider.apiKeyOpts ? apiKeyRows(provider.apiKeyOpts) : []),
    ...(provider.basicOpts ? basicRows(provider.basicOpts) : []),
    ...(provider.customOpts ? customRows(provider.customOpts) : []),
  ];
}

function oauthRows(options: OAuth2Options): PageRow[] {
  const { tokenMetadataFields: fields, accessTokenOpts: token } = options;
  return [
    ...row("OAuth", options.authURL),
    ...row("Token", options.tokenURL),
    ...row("Must be given", mustBeGiven(options)),
    ...row("Audience", options.audience ?? []),
    ...row("URL params", entryTexts(options.authURLParams)),
    ...row("Scope mapping", entryTexts(options.scopeMappings)),
    ...row(
      "Token tells",
      [
        fields?.workspaceRefField && `workspace in ${fields.workspaceRefField}`,
        fields?.consumerRefField && `consumer in ${fields.consumerRefField}`,
        fields?.scopesField && `scopes in ${fields.scopesField}`,
        ...(fields?.otherFields ?? []).map((other) =>
          joined([
            `${other.displayName ?? other.name} in ${other.path}`,
            other.displayName && `as ${other.name}`,
            other.capture && `captured by ${other.capture}`,
          ]),
        ),
      ].filter(Boolean),
    ),
    ...row(
      "Token sent as",
      joined([
        token?.attachmentType,
        token?.header?.name &&
          `header ${token.header.name}: ${token.header.valuePrefix ?? ""}<token>`,
        token?.docsURL,
      ]),
    ),
    ...row("Docs", options.docsURL),
  ];
}

function mustBeGiven({
  explicitScopesRequired: scopes,
  explicitWorkspaceRequired: workspace,
}: OAuth2Options) {
  const must = joined([scopes && "scopes", workspace && "workspace"]);
  return (
    must ?? (scopes === false && workspace === false ? "neither scopes nor workspace" : undefined)
  );
}

function apiKeyRows({ header, query, docsURL }: ApiKeyOptions): PageRow[] {
  return [
    ...row(
      "API key",
      [
        header?.name && `header ${header.name}: ${header.valuePrefix ?? ""}<key>`,
        query?.name && `query ?${query.name}=<key>`,
      ].filter(Boolean),
    ),
    ...row("Docs", docsURL),
  ];
}

function basicRows({ apiKeyAsBasic, apiKeyAsBasicOpts, docsURL }: BasicOptions): PageRow[] {
  return [
    ...row(
      "Basic",
      joined([
        apiKeyAsBasic ? "the API key serves as user and password" : "user and password",
        apiKeyAsBasicOpts?.fieldUsed && `in the ${apiKeyAsBasicOpts.fieldUsed}`,
        apiKeyAsBasicOpts?.keyFormat && `written ${apiKeyAsBasicOpts.keyFormat}`,
      ]),
    ),
    ...row("Docs", docsURL),
  ];
}

function customRows({ headers, queryParams, inputs }: CustomOptions): PageRow[] {
  return [
    ...row(
      "Headers",
      (headers ?? []).map((header) => `${header.name}: ${header.valueTemplate}`),
    ),
    ...row(
      "Query",
      (queryParams ?? []).map((param) => `?${param.name}=${param.valueTemplate}`),
    ),
    ...row(
      "Asks for",
      (inputs ?? []).map(
        (input) =>
          joined([
            input.displayName ? `${input.displayName} (${input.name})` : input.name,
            input.prompt,
            input.docsURL,
          ]) ?? "",
      ),
    ),
  ];
}
